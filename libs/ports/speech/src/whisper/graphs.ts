import { Graph, MICROSOFT, type Value } from '../onnx/graph.ts';
import { HOP, melFilters, SPECTRUM, spectrumFilters } from './mel.ts';
import type { Weights } from './weights.ts';

const HEAD = 64;
/** Spectra of a part of a recording, and positions of what the encoder makes of them. */
export const SPECTRA = 3_000;
const POSITIONS = SPECTRA / 2;
/** Samples that the encoder takes: those of the part, with half a spectrum before and the rest of the last one behind. */
export const ENCODER_SAMPLES = (SPECTRA - 1) * HOP + SPECTRUM;

export interface Sizes {
  readonly width: number;
  readonly encoderLayers: number;
  readonly decoderLayers: number;
  readonly vocabulary: number;
}

export function sizesOf(weights: Weights): Sizes {
  const layers = (part: string) => {
    let count = 0;
    while (weights.has(`${part}/layer_${count}/ffn/linear_0/weight`)) count++;
    return count;
  };
  const [vocabulary = 0, width = 0] = weights.shape('decoder/embeddings/weight');
  return { width, vocabulary, encoderLayers: layers('encoder'), decoderLayers: layers('decoder') };
}

/**
 * The encoder, from samples on. `samples` [1, 1, ENCODER_SAMPLES] → for each layer of the decoder, keys `key.<layer>`
 * [1, heads, HEAD, POSITIONS] and values `value.<layer>` [1, heads, POSITIONS, HEAD].
 */
export function encoderGraph(weights: Weights, { width, encoderLayers, decoderLayers }: Sizes): Uint8Array {
  const graph = new WhisperGraph(weights, width);
  let x = graph.melBands(graph.input('samples', [1, 1, ENCODER_SAMPLES]));
  x = graph.gelu(graph.convolution(x, 'encoder/conv1', 1));
  x = graph.gelu(graph.convolution(x, 'encoder/conv2', 2));
  x = graph.node('Transpose', [x], { perm: [0, 2, 1] });
  x = graph.add(x, graph.weights('encoder/position_encodings/encodings'));
  for (let layer = 0; layer < encoderLayers; layer++) {
    const name = `encoder/layer_${layer}`;
    const normal = graph.normal(x, `${name}/self_attention/layer_norm`);
    const [q, k, v] = graph.queriesKeysValues(normal, `${name}/self_attention/linear_0`);
    const seen = graph.attention(graph.heads(q), graph.keys(k), graph.heads(v));
    x = graph.add(x, graph.linear(seen, `${name}/self_attention/linear_1`));
    x = graph.feedForward(x, `${name}/ffn`);
  }
  x = graph.normal(x, 'encoder/layer_norm');
  const heads = width / HEAD;
  for (let layer = 0; layer < decoderLayers; layer++) {
    const linear = `decoder/layer_${layer}/attention/linear_1`;
    graph.output(graph.keys(graph.part(x, linear, 0), `key.${layer}`), [1, heads, HEAD, POSITIONS]);
    graph.output(graph.heads(graph.part(x, linear, 1), `value.${layer}`), [1, heads, POSITIONS, HEAD]);
  }
  return graph.encode();
}

/**
 * The decoder, one token at a time. `token` [1, 1, width] (embedding and position), `past.key.<layer>` and
 * `past.value.<layer>` [1, heads, length, HEAD], and what the encoder made → `logits` [1, 1, vocabulary], and the past with
 * this token, as `present.…`.
 */
export function decoderGraph(weights: Weights, { width, decoderLayers, vocabulary }: Sizes): Uint8Array {
  const graph = new WhisperGraph(weights, width);
  const heads = width / HEAD;
  const past = [1, heads, 'past', HEAD] as const;
  const present = [1, heads, 'present', HEAD] as const;
  let x = graph.input('token', [1, 1, width]);
  for (let layer = 0; layer < decoderLayers; layer++) {
    const name = `decoder/layer_${layer}`;
    const [q, k, v] = graph.queriesKeysValues(
      graph.normal(x, `${name}/self_attention/layer_norm`),
      `${name}/self_attention/linear_0`,
    );
    const keys = graph.append(graph.input(`past.key.${layer}`, past), graph.heads(k), `present.key.${layer}`);
    const values = graph.append(graph.input(`past.value.${layer}`, past), graph.heads(v), `present.value.${layer}`);
    graph.output(keys, present);
    graph.output(values, present);
    const said = graph.attention(graph.heads(q), graph.node('Transpose', [keys], { perm: [0, 1, 3, 2] }), values);
    x = graph.add(x, graph.linear(said, `${name}/self_attention/linear_1`));
    const question = graph.linear(graph.normal(x, `${name}/attention/layer_norm`), `${name}/attention/linear_0`);
    const heard = graph.attention(
      graph.heads(question),
      graph.input(`key.${layer}`, [1, heads, HEAD, POSITIONS]),
      graph.input(`value.${layer}`, [1, heads, POSITIONS, HEAD]),
    );
    x = graph.add(x, graph.linear(heard, `${name}/attention/linear_2`));
    x = graph.feedForward(x, `${name}/ffn`);
  }
  const words = graph.product(graph.normal(x, 'decoder/layer_norm'), 'decoder/embeddings/weight', 0, vocabulary);
  graph.output(graph.node('Identity', [words], {}, { name: 'logits' }), [1, 1, vocabulary]);
  return graph.encode();
}

/** The parts of both graphs. Matrices are quantized to 8 bits, each column by its own scale. */
class WhisperGraph extends Graph {
  readonly #source: Weights;
  readonly #width: number;

  constructor(source: Weights, width: number) {
    super();
    this.#source = source;
    this.#width = width;
  }

  weights(name: string): Value {
    return this.constant(this.#source.numbers(name), this.#source.shape(name));
  }

  /** Logarithms of the bands, from 8 below the largest one on, scaled to about -1 to 1. */
  melBands(samples: Value): Value {
    const filters = spectrumFilters();
    const kernel = this.constant(filters.data, filters.shape);
    const waves = this.node('Conv', [samples, kernel], { strides: [HOP], kernel_shape: [SPECTRUM] });
    const [real = '', imaginary = ''] = this.#halves(this.node('Mul', [waves, waves]), filters.shape[0]! / 2);
    const bands = melFilters();
    const power = this.node('MatMul', [this.constant(bands.data, bands.shape), this.add(real, imaginary)]);
    const log = this.node('Log', [this.node('Max', [power, this.number(1e-10)])]);
    const log10 = this.node('Mul', [log, this.number(1 / Math.LN10)]);
    const largest = this.node('ReduceMax', [log10], { keepdims: 0 });
    const floored = this.node('Max', [log10, this.node('Sub', [largest, this.number(8)])]);
    return this.node('Div', [this.add(floored, this.number(4)), this.number(4)]);
  }

  convolution(x: Value, name: string, stride: number): Value {
    const inputs = [x, this.weights(`${name}/weight`), this.weights(`${name}/bias`)];
    return this.node('Conv', inputs, { kernel_shape: [3], pads: [1, 1], strides: [stride] });
  }

  normal(x: Value, name: string): Value {
    const inputs = [x, this.weights(`${name}/gamma`), this.weights(`${name}/beta`)];
    return this.node('LayerNormalization', inputs, { epsilon: 1e-5, axis: 2 });
  }

  gelu(x: Value): Value {
    return this.node('Gelu', [x], { approximate: 'none' });
  }

  add(a: Value, b: Value): Value {
    return this.node('Add', [a, b]);
  }

  append(past: Value, one: Value, name: string): Value {
    return this.node('Concat', [past, one], { axis: 2 }, { name });
  }

  linear(x: Value, name: string): Value {
    const [rows = 0] = this.#source.shape(`${name}/weight`);
    return this.product(x, `${name}/weight`, 0, rows, `${name}/bias`);
  }

  /** The `index`th of the layers of this width that a matrix holds. */
  part(x: Value, name: string, index: number): Value {
    return this.product(x, `${name}/weight`, index * this.#width, this.#width, `${name}/bias`);
  }

  queriesKeysValues(x: Value, name: string): readonly [Value, Value, Value] {
    return [this.part(x, name, 0), this.part(x, name, 1), this.part(x, name, 2)];
  }

  feedForward(x: Value, name: string): Value {
    const inner = this.gelu(this.linear(this.normal(x, `${name}/layer_norm`), `${name}/linear_0`));
    return this.add(x, this.linear(inner, `${name}/linear_1`));
  }

  heads(x: Value, name?: string): Value {
    return this.#split(x, [0, 2, 1, 3], name);
  }

  keys(x: Value, name?: string): Value {
    return this.#split(x, [0, 2, 3, 1], name);
  }

  attention(queries: Value, keys: Value, values: Value): Value {
    const scaled = this.node('Mul', [queries, this.number(HEAD ** -0.5)]);
    const shares = this.node('Softmax', [this.node('MatMul', [scaled, keys])], { axis: 3 });
    const seen = this.node('Transpose', [this.node('MatMul', [shares, values])], { perm: [0, 2, 1, 3] });
    return this.node('Reshape', [seen, this.integers(0, 0, this.#width)]);
  }

  /** The product with the transpose of some rows of a matrix. */
  product(x: Value, name: string, firstRow: number, rows: number, bias?: string): Value {
    const { data, scales } = quantized(this.#source.numbers(name, firstRow, rows), rows);
    const inputs = [x, this.constant(data, [data.length / rows, rows]), this.constant(scales, [rows]), ''];
    if (bias !== undefined) inputs.push(this.constant(this.#source.numbers(bias, firstRow, rows), [rows]));
    return this.node('DynamicQuantizeMatMul', inputs, {}, { domain: MICROSOFT });
  }

  #split(x: Value, perm: readonly number[], name?: string): Value {
    const split = this.node('Reshape', [x, this.integers(0, 0, this.#width / HEAD, HEAD)]);
    return this.node('Transpose', [split], { perm }, name === undefined ? {} : { name });
  }

  #halves(x: Value, size: number): readonly Value[] {
    return [0, size].map((start) =>
      this.node('Slice', [x, this.integers(start), this.integers(start + size), this.integers(1)]),
    );
  }
}

/** @returns the transpose in 8 bits: `[columns][rows]`, and the scale of each row */
function quantized(matrix: Float32Array, rows: number): { readonly data: Int8Array; readonly scales: Float32Array } {
  const columns = matrix.length / rows;
  const data = new Int8Array(matrix.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const numbers = matrix.subarray(row * columns, (row + 1) * columns);
    let largest = 1e-12;
    for (const number of numbers) largest = Math.max(largest, Math.abs(number));
    const scale = largest / 127;
    scales[row] = scale;
    for (let column = 0; column < columns; column++) data[column * rows + row] = Math.round(numbers[column]! / scale);
  }
  return { data, scales };
}
