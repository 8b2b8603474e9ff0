"""Weights are halved where that loses nothing, and nowhere else."""

import numpy as np
import pytest

from draftproof.models.language import LanguageModel
from draftproof.models.openvino import OpenVinoModel
from draftproof.models.openvino_graph import halve_weights

openvino = pytest.importorskip("openvino")


def graph(*weights: np.ndarray) -> tuple[object, np.ndarray]:
    """A chain of products with these matrices, and what it makes of a row of ones."""
    from openvino import opset13

    row = opset13.parameter([-1, len(weights[0])], openvino.Type.f32)
    value = row
    for matrix in weights:
        value = opset13.matmul(value, opset13.constant(matrix), transpose_a=False, transpose_b=False)
    return openvino.Model([value], [row]), np.ones((1, len(weights[0])), np.float32)


def run(model: object, row: np.ndarray) -> np.ndarray:
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.array(compiled(row)[0])


def test_matrices_of_half_precision_numbers_are_halved_and_the_product_is_the_same() -> None:
    model, row = graph(np.float32([[0.5, 0.25], [1.5, -2.0]]), np.float32([[1.0], [3.0]]))
    before = run(model, row)
    assert halve_weights(model) == 2
    assert np.array_equal(run(model, row), before)


@pytest.mark.parametrize("number", [0.1, 1e6, 1e-12])
def test_a_matrix_that_would_lose_something_is_left_alone(number: float) -> None:
    model, row = graph(np.float32([[number, 0.25], [1.5, -2.0]]), np.float32([[1.0], [3.0]]))
    before = run(model, row)
    assert halve_weights(model) == 1
    assert np.array_equal(run(model, row), before)


def test_the_tiny_model_runs_on_halves(tiny: LanguageModel) -> None:
    assert isinstance(tiny.model, OpenVinoModel)
    operations = tiny.model._request.get_compiled_model().get_runtime_model().get_ordered_ops()
    products = [operation for operation in operations if operation.get_rt_info()["layerType"].value == "FullyConnected"]
    assert {product.input(1).get_element_type().get_type_name() for product in products} == {"f16"}
