"""The words of the PTX ISA (up to 9.0): what is real PTX, modelled here or not.

A learner whose code holds real PTX that is not modelled may be graded on a GPU; what no GPU would take is an error.
"""

from __future__ import annotations

import re

from grader.simulator.ptx.errors import PtxError, Unsupported

INSTRUCTIONS = frozenset(
    """
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call
    clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma
    fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier
    membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red
    redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix
    sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4
    vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2
    vsub4 wgmma wmma xor
    """.split()
)

_MODIFIERS = frozenset(
    """
    pred b1 b8 b16 b32 b64 b128 u4 u8 u16 u32 u64 s4 s8 s16 s32 s64 f16 f32 f64 bf16 tf32 f16x2 bf16x2 f32x2 u8x4 s8x4
    u16x2 s16x2 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1 e2m1x2 e2m1x4 e2m3 e2m3x2 e2m3x4 e3m2 e3m2x2 e3m2x4 ue8m0
    ue8m0x2 ue4m3 s2f6x2 b8x16 b6x16_p32 b4x16_p64 texref samplerref surfref

    global const local param shared shared::cta shared::cluster param::entry param::func tensor to

    rn rna rz rs rm rp rni rzi rmi rpi approx full ftz sat satfinite relu NaN xorsign abs noftz pack::16b unpack::16b
    unpack::8b oob finite infinite number notanumber normal subnormal

    eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor andn popc cc wide shiftamt clamp wrap
    l r trap zero any all uni ballot idx up down bfly sync red arrive aligned warp cta cluster gpu sys gl noinc
    inc dec min max add exch cas sub mul fma f4e rc8 rc16 ecl ecr b4e uniform
    weak relaxed acquire release acq_rel sc volatile mmio nc proxy alias async async::generic
    sync_restrict::shared::cta sync_restrict::shared::cluster mbarrier_init tensormap tensormap::generic op_restrict
    generic unified

    ca cg cs lu cv wb wt L1 L2 L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate
    L2::evict_normal L2::evict_first L2::evict_last L2::evict_unchanged L2::cache_hint L2::64B L2::128B L2::256B
    fractional range cvt

    init inval expect_tx complete_tx arrive_drop test_wait try_wait pending_count expect_tx complete parity wait
    bulk commit_group wait_group wait_all reduce prefetch read mbarrier mbarrier::complete_tx::bytes bulk_group
    multicast::cluster cp_mask ignore im2col im2col_no_offs im2col::w im2col::w::128 tile tile::gather4
    tile::scatter4 ignore_oob oob_nan cta_group::1 cta_group::2 mbarrier::arrive::one

    load store mma mma_async a b c d row col sp sp::ordered_metadata kind::f8f6f4 kind::mxf8f6f4 kind::mxf4
    kind::mxf4nvf4 kind::f16 kind::tf32 kind::i8 block_scale scale_vec::1X scale_vec::2X scale_vec::4X block16 block32
    scale_vec trans fence alloc dealloc relinquish_alloc_permit ld st commit shift cp ws warpx2::02_13
    warpx2::01_23 warpx4 collector::a::fill collector::a::use collector::a::lastuse collector::a::discard
    collector::b0 collector::b1 collector::b2 collector::b3 before_thread_sync after_thread_sync
    launch_dependents ld_reduce replace global_address rank box_dim global_dim global_stride element_stride elemtype
    interleave_layout swizzle_mode fill_mode swizzle_atomicity cp_fenceproxy try_cancel query_cancel is_canceled
    get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z

    1d 2d 3d 4d 5d a1d a2d cube acube 2dms a2dms base level grad p width height depth channel_data_type channel_order
    normalized_coords force_unnormalized_filtering filter_mode addr_mode_0 addr_mode_1 addr_mode_2 array_size
    num_mipmap_levels num_samples memory_layout
    h0 h1 b0 b2 b3 po shr7 shr15 mask
    """.split()
)  # fmt: skip
_SHAPES = re.compile(r"m\d+n\d+(k\d+)?|\d+x\d+b(x2)?|x\d{1,3}|v[248]")

# Instructions of which every form up to sm_90 is run (tests/simulator/forms.py compares them with ptxas): another
# one is none, unless it has a type of a newer architecture.
_WHOLE = frozenset(
    """
    abs and bfe bfi bfind bmsk brev clz cnot copysign cos div dp2a dp4a ex2 fns lg2 mad mad24 match mov mul mul24 neg
    not or popc prmt rem rsqrt sad selp set setp shf shfl shl shr sin slct sqrt szext tanh vabsdiff vabsdiff2
    vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr
    vsub vsub2 vsub4 xor
    """.split()
)
_NEWER = frozenset(("f32x2", "u8x4", "s8x4", "rs"))

SPECIAL_REGISTERS = frozenset(
    f"%{name}"
    for name in """
    clock clock_hi clock64 globaltimer globaltimer_lo globaltimer_hi smid nsmid gridid pm0 pm1 pm2 pm3 pm4 pm5 pm6 pm7
    pm0_64 pm1_64 pm2_64 pm3_64 pm4_64 pm5_64 pm6_64 pm7_64 aggr_smem_size current_graph_exec is_explicit_cluster
    cluster_ctarank cluster_nctarank clusterid.x clusterid.y clusterid.z nclusterid.x nclusterid.y nclusterid.z
    cluster_ctaid.x cluster_ctaid.y cluster_ctaid.z cluster_nctaid.x cluster_nctaid.y cluster_nctaid.z
    reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0
    reserved_smem_offset_1
    """.split()
) | {f"%envreg{k}" for k in range(32)}

FUNCTION_DIRECTIVES = frozenset(
    """
    .maxclusterrank .explicitcluster .reqnctapercluster .blocksareclusters .attribute .abi_preserve
    .abi_preserve_control .language
    """.split()
)
VARIABLE_WORDS = frozenset(".v2 .v4 .v8 .texref .samplerref .surfref .attribute .managed .unified".split())
REGISTER_WORDS = frozenset(".v2 .v4 .v8".split())
WITH_COORDINATES = frozenset(("tex", "tld4", "suld", "sust", "sured", "cp"))  # [name, {x, y}]
HEAP_FUNCTIONS = frozenset(("malloc", "free"))
DRIVER_FUNCTIONS = frozenset(("malloc", "free", "vprintf", "__assertfail"))  # that the driver's linker brings


def not_modelled(opcode: str) -> PtxError | Unsupported:
    """What to raise for an opcode that is not run here: ``Unsupported`` if each of its words is PTX."""
    root, *modifiers = opcode.split(".")
    if root not in INSTRUCTIONS:
        return PtxError(f"`{opcode}` is no PTX instruction")
    if root in _WHOLE and not _NEWER & {*modifiers}:
        return PtxError(f"`{opcode}` is no PTX instruction: `{root}` has no such form")
    for word in modifiers:
        if word not in _MODIFIERS and not _SHAPES.fullmatch(word):
            return PtxError(f"`{opcode}` is no PTX instruction: there is no `.{word}`")
    return Unsupported(opcode)


def known_or(word: str, known: frozenset[str], what: str, line: int | None = None) -> PtxError | Unsupported:
    """The same for a directive or another word, with ``known`` what the ISA has."""
    return Unsupported(word) if word in known else PtxError(f"`{word}` is no {what} of PTX", line)
