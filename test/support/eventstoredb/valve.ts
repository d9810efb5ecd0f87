import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';

/** Stands between a socket and the server, and can hold what both send. */
export class Valve {
  /** The socket as the server sees it. */
  readonly inner: Duplex;
  readonly #outer: Duplex;
  readonly #socket: Socket;

  constructor(socket: Socket, isShut: boolean) {
    const [inner, outer] = duplexPair();
    this.inner = inner;
    this.#outer = outer;
    this.#socket = socket;
    for (const side of [inner, outer]) side.on('error', () => {});
    socket.once('close', () => outer.destroy());
    if (isShut) socket.pause();
    else this.open();
  }

  open(): void {
    this.#socket.pipe(this.#outer).pipe(this.#socket);
  }

  shut(): void {
    this.#socket.unpipe(this.#outer);
    this.#outer.unpipe(this.#socket);
  }
}
