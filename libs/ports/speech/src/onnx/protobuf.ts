/** Writes messages in the binary format of Protocol Buffers: only what an ONNX model needs. */
export class Message {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** A field of varints: `int64`, `int32` or an enum. Negative numbers are not supported. */
  int(field: number, value: number): this {
    return this.#push(varint(field * 8)).#push(varint(value));
  }

  /** A field of 32 bits: `float`. */
  float(field: number, value: number): this {
    return this.#push(varint(field * 8 + 5)).#push(new Uint8Array(Float32Array.of(value).buffer));
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  message(field: number, value: Message): this {
    this.#push(varint(field * 8 + 2)).#push(varint(value.#length));
    for (const part of value.#parts) this.#push(part);
    return this;
  }

  /** The bytes are not copied before `encode`. */
  bytes(field: number, value: Uint8Array): this {
    return this.#push(varint(field * 8 + 2))
      .#push(varint(value.length))
      .#push(value);
  }

  encode(): Uint8Array {
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
