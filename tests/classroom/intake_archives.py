"""Archives as Moodle, Canvas and people make them, built by code."""

import io
import json
import zipfile

import classroom_toy as toy

BOOK = f"{toy.NAME}.ipynb"


def book(**answers) -> bytes:
    return json.dumps(toy.answered(**answers)).encode()


def zipped(members, *, compression=zipfile.ZIP_DEFLATED, time=(2026, 11, 30, 12, 0, 0)) -> bytes:
    """`members`: name -> bytes, or a list of (name or ZipInfo, bytes)."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in members.items() if isinstance(members, dict) else members:
            entry = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, time)
            if entry is not name:
                entry.compress_type = compression
            archive.writestr(entry, content)
    return data.getvalue()


def entry(name, *, mode=0, time=(2026, 11, 30, 12, 0, 0), compression=zipfile.ZIP_DEFLATED, flags=0):
    info = zipfile.ZipInfo(name, time)
    info.external_attr, info.create_system, info.compress_type = mode << 16, 3, compression
    info.flag_bits |= flags
    return info


def moodle(people, *, folders=True, new=True, **options) -> bytes:
    """`people`: (full name, number) -> {file: bytes}."""
    members = {}
    for (name, number), files in people.items():
        for file, data in files.items():
            start = f"{name}_{number}_assignsubmission_file"
            members[f"{start}{'' if new else '_'}/{file}" if folders else f"{start}_{file}"] = data
    return zipped(members, **options)


def canvas(people, **options) -> bytes:
    """`people`: (name, number, late) -> {file: bytes}, the attachments numbered in order."""
    members, attachment = {}, 9000
    for (name, number, late), files in people.items():
        for file, data in files.items():
            attachment += 1
            members[f"{name}_{'LATE_' if late else ''}{number}_{attachment}_{file}"] = data
    return zipped(members, **options)


def answers(cu=b"right", **more):
    return {"toy.cu": cu, BOOK: book(), **more}
