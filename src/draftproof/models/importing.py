"""Run as a program: make an OpenVINO model of a GGUF file in half precision, beside it, and remove the file.

A process of its own, since the importer compiles what it reads, and that memory should not stay with a decode.

The weights are written as float32, which half precision fits into. So the model is computed from the very pages of the file, and
they can be dropped when memory is short; from float16 a second copy of every weight would stay in memory instead.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np


def main(half: Path) -> None:
    import openvino
    import openvino_genai

    openvino_genai.LLMPipeline(str(half), "CPU", enable_save_ov_model=True)
    half.unlink()
    graph, narrow = half.parent / "openvino_model.xml", half.parent / "openvino_model.bin"
    model = openvino.Core().read_model(graph)
    widen(model)
    openvino.serialize(model, half.parent / "wide.xml", half.parent / "wide.bin")
    del model
    (half.parent / "wide.bin").replace(narrow)
    (half.parent / "wide.xml").replace(graph)


def widen(model: Any) -> None:
    """Put a float32 constant in the place of every float16 constant that is converted to float32."""
    from openvino import Type, opset13

    for constant in model.get_ordered_ops():
        if constant.get_type_name() != "Constant" or constant.get_element_type() != Type.f16:
            continue
        wide = opset13.constant(constant.data.astype(np.float32))
        wide.set_friendly_name(constant.get_friendly_name())
        for reader in list(constant.output(0).get_target_inputs()):
            convert = reader.get_node()
            if convert.get_type_name() == "Convert" and convert.get_output_element_type(0) == Type.f32:
                for target in list(convert.output(0).get_target_inputs()):
                    target.replace_source_output(wide.output(0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
