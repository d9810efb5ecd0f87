import { readFile } from 'node:fs/promises';

/** A tensor of numbers in 16 bits. */
interface Tensor {
  readonly shape: readonly number[];
  readonly bits: Uint16Array;
}

/** Code of 16-bit numbers in the file. */
const FLOAT16 = 4;
const SUPPORTED_VERSION = 6;

/** The weights of a model in the format of CTranslate2. */
export class Weights {
  readonly #tensors: ReadonlyMap<string, Tensor>;

  /** @throws Error if the file is not of this format */
  static async read(path: string): Promise<Weights> {
    return new Weights(tensorsOf(await readFile(path)));
  }

  private constructor(tensors: ReadonlyMap<string, Tensor>) {
    this.#tensors = tensors;
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  shape(name: string): readonly number[] {
    return this.#tensor(name).shape;
  }

  /** Returns rows of a matrix, or all of a tensor. */
  numbers(name: string, firstRow = 0, rows?: number): Float32Array {
    const { shape, bits } = this.#tensor(name);
    const width = shape.slice(1).reduce((product, size) => product * size, 1);
    const end = rows === undefined ? bits.length : (firstRow + rows) * width;
    const numbers = new Float32Array(end - firstRow * width);
    for (let i = 0; i < numbers.length; i++) numbers[i] = HALF[bits[firstRow * width + i]!]!;
    return numbers;
  }

  #tensor(name: string): Tensor {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw new Error(`the model has no weights ${name}`);
    return tensor;
  }
}

function tensorsOf(file: Buffer): Map<string, Tensor> {
  let at = 0;
  const take = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const uint32 = () => file.readUInt32LE(take(4));
  const text = () => {
    const bytes = file.readUInt16LE(take(2));
    return file.toString('utf8', take(bytes), at - 1);
  };
  const version = uint32();
  if (version !== SUPPORTED_VERSION) throw new Error(`the version ${version} of the model's file is not supported`);
  text();
  uint32();
  const tensors = new Map<string, Tensor>();
  for (let left = uint32(); left > 0; left--) {
    const name = text();
    const shape = Array.from({ length: file.readUInt8(take(1)) }, uint32);
    const type = file.readUInt8(take(1));
    const bytes = uint32();
    const start = take(bytes);
    // Others are settings. A copy, because a view needs an even offset.
    if (type === FLOAT16)
      tensors.set(name, { shape, bits: new Uint16Array(new Uint8Array(file.subarray(start, at)).buffer) });
  }
  return tensors;
}

/** The number of each pattern of 16 bits (IEEE 754). */
const HALF = Float32Array.from({ length: 65_536 }, (_, bits) => {
  const fraction = bits & 0x3ff;
  const exponent = (bits >> 10) & 0x1f;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});
