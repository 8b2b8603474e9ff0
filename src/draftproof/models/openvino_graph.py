"""The graph of a language model as OpenVINO imported it, made into the one that is run."""

from pathlib import Path
from typing import Any

import numpy as np

from draftproof.errors import Unsupported


def compiled_graph(file: Path, config: dict[str, str], *, halved: bool) -> Any:
    """The graph with paged attention, computing the logits of the rows that are asked for and no others.

    Args:
        config: of the CPU plugin.
        halved: keep weights in 16 bits where that loses nothing; for float32 arithmetic.

    Raises:
        Unsupported: the package openvino is missing, or the file is not the graph of a language model.
    """
    try:
        import openvino
        from openvino import opset13
        from openvino._offline_transformations import paged_attention_transformation
    except ModuleNotFoundError as error:
        raise Unsupported("this backend needs OpenVINO: pip install 'draftproof[cpu]'") from error
    core = openvino.Core()
    try:
        graph = core.read_model(file)
        paged_attention_transformation(graph)
        product = graph.get_results()[0].input_value(0).get_node()
        while product.get_type_name() != "MatMul":
            product = product.input_value(0).get_node()
    except (RuntimeError, IndexError) as error:
        raise Unsupported(f"{file} is not the graph of a language model that this backend can run") from error
    rows = opset13.parameter([-1], openvino.Type.i64, name="rows")
    rows.output(0).set_names({"rows"})
    hidden = opset13.gather(product.input_value(0), rows, opset13.constant(np.int64(0)))
    product.input(0).replace_source_output(hidden.output(0))
    graph.add_parameters([rows])
    if halved:
        halve_weights(graph)
    graph.validate_nodes_and_infer_types()
    return core.compile_model(graph, "CPU", config)


def halve_weights(graph: Any) -> int:
    """Keep every float32 weight matrix whose numbers all are float16 numbers in half the memory, and say how many there were.

    They are widened, to the same numbers, on their way into a product. A pass of few rows waits for memory, so it takes a fifth less.
    """
    from openvino import Type, opset13

    halved = 0
    for product in graph.get_ordered_ops():
        weights = product.input_value(1).get_node() if product.get_type_name() == "MatMul" else None
        if weights is None or weights.get_type_name() != "Constant" or weights.get_output_element_type(0) != Type.f32:
            continue
        with np.errstate(over="ignore"):  # a number too large becomes infinite, and so differs
            half = weights.data.astype(np.float16)
        if np.array_equal(half, weights.data):
            widened = opset13.convert(opset13.constant(half), "f32")
            widened.get_rt_info()["decompression_0"] = ""  # else the plugin widens it once and for all
            product.input(1).replace_source_output(widened.output(0))
            halved += 1
    return halved
