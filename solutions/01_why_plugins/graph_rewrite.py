import onnx_graphsurgeon as gs


def rewrite(graph):
    """Replaces each SkipLayerNormalization of com.microsoft by Add and LayerNormalization."""
    fused = [node for node in graph.nodes if (node.domain, node.op) == ("com.microsoft", "SkipLayerNormalization")]
    for node in fused:
        x, skip, gamma, beta, bias = slots(node.inputs, 5)
        y, _, _, total = slots(node.outputs, 4)
        node.outputs.clear()

        # Each sum makes a new tensor; the last of them is output 3, if that is used.
        total = total or gs.Variable(f"{y.name}/total")
        if bias is None:
            terms = [x, skip]
        else:
            partial = gs.Variable(f"{y.name}/partial")
            graph.nodes.append(gs.Node("Add", inputs=[x, skip], outputs=[partial]))
            terms = [partial, bias]
        graph.nodes.append(gs.Node("Add", inputs=terms, outputs=[total]))

        weights = [gamma] if beta is None else [gamma, beta]
        attributes = {"axis": -1, "epsilon": node.attrs.get("epsilon", 1e-12)}
        graph.nodes.append(gs.Node("LayerNormalization", attrs=attributes, inputs=[total, *weights], outputs=[y]))
    return graph.cleanup().toposort()


def slots(tensors, count):
    """So many tensors, None for each that is missing or has an empty name."""
    found = [None if tensor.is_empty() else tensor for tensor in tensors]
    return found + [None] * (count - len(found))
