import { Message } from './protobuf.ts';

/** Name of a value in a graph. */
export type Value = string;

type Attributes = Readonly<Record<string, number | string | readonly number[]>>;
type Data = Float32Array | Int8Array | BigInt64Array;

/** Codes of TensorProto.DataType. */
const TYPES = { float32: 1, int8: 3, int64: 7 } as const;
/** Codes of AttributeProto.AttributeType. */
const FLOAT = 1;
const INT = 2;
const STRING = 3;
const INTS = 7;
/** Operators of ONNX Runtime, such as matrix products of quantized weights. */
export const MICROSOFT = 'com.microsoft';

/** Builds an ONNX model in memory. Field numbers: onnx.proto. */
export class Graph {
  readonly #graph = new Message().text(2, 'graph');
  readonly #constants = new Map<string, Value>();
  #values = 0;

  /** @param shape numbers, or names of dimensions that vary */
  input(name: string, shape: readonly (number | string)[], type: keyof typeof TYPES = 'float32'): Value {
    this.#graph.message(11, tensorInfo(name, shape, type));
    return name;
  }

  output(value: Value, shape: readonly (number | string)[]): void {
    this.#graph.message(12, tensorInfo(value, shape, 'float32'));
  }

  constant(data: Data, shape: readonly number[]): Value {
    const name = this.#newValue();
    const type = data instanceof Float32Array ? TYPES.float32 : data instanceof Int8Array ? TYPES.int8 : TYPES.int64;
    const tensor = new Message();
    for (const size of shape) tensor.int(1, size);
    tensor
      .int(2, type)
      .text(8, name)
      .bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    this.#graph.message(5, tensor);
    return name;
  }

  number(value: number): Value {
    return this.#shared(`n${value}`, () => this.constant(Float32Array.of(value), []));
  }

  integers(...values: readonly number[]): Value {
    return this.#shared(`i${values}`, () => this.constant(BigInt64Array.from(values, BigInt), [values.length]));
  }

  /** @param name of the result. Default: a new one */
  node(
    operator: string,
    inputs: readonly Value[],
    attributes: Attributes = {},
    { domain = '', name = this.#newValue() }: { readonly domain?: string; readonly name?: Value } = {},
  ): Value {
    const node = new Message();
    for (const input of inputs) node.text(1, input);
    node.text(2, name).text(4, operator).text(7, domain);
    for (const [key, value] of Object.entries(attributes)) node.message(5, attribute(key, value));
    this.#graph.message(1, node);
    return name;
  }

  encode(): Uint8Array {
    const opset = (domain: string, version: number) => new Message().text(1, domain).int(2, version);
    const model = new Message().int(1, 9).message(8, opset('', 20)).message(8, opset(MICROSOFT, 1));
    return model.message(7, this.#graph).encode();
  }

  #newValue(): Value {
    this.#values += 1;
    return `v${this.#values}`;
  }

  #shared(key: string, make: () => Value): Value {
    const known = this.#constants.get(key) ?? make();
    this.#constants.set(key, known);
    return known;
  }
}

function tensorInfo(name: string, shape: readonly (number | string)[], type: keyof typeof TYPES): Message {
  const dimensions = new Message();
  for (const size of shape) {
    dimensions.message(1, typeof size === 'number' ? new Message().int(1, size) : new Message().text(2, size));
  }
  const tensor = new Message().int(1, TYPES[type]).message(2, dimensions);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

function attribute(name: string, value: number | string | readonly number[]): Message {
  const message = new Message().text(1, name);
  if (typeof value === 'string') return message.text(4, value).int(20, STRING);
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 0
      ? message.int(3, value).int(20, INT)
      : message.float(2, value).int(20, FLOAT);
  }
  for (const one of value) message.int(8, one);
  return message.int(20, INTS);
}
