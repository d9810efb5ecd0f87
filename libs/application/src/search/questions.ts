import { Inject, Injectable } from '@nestjs/common';
import type { Embedder } from '#models';
import { EMBEDDER } from '../ports.ts';

/** Gives a question its vector, where there is a model; search goes by words alone where there is none. */
@Injectable()
export class Questions {
  constructor(@Inject(EMBEDDER) private readonly embedder: Embedder) {}

  async vectorOf(text: string): Promise<{ readonly space: string; readonly values: Float32Array } | null> {
    const status = this.embedder.status();
    if (status.state !== 'ready') return null;
    try {
      return { space: status.space.name, values: await this.embedder.embedQuestion(text) };
    } catch {
      // The model can go between the look at its state and the question; words still find what they can.
      return null;
    }
  }
}
