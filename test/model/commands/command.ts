import type { AsyncCommand } from 'fast-check';
import type { Client } from '../client.ts';
import { compare } from '../compare.ts';
import type { Model } from '../contract/model.ts';

/** A request, or something that happens to the installation. */
export abstract class Command implements AsyncCommand<Model, Client> {
  /** Whether it makes sense in this state. */
  abstract check(model: Readonly<Model>): boolean;

  /** Sends it, checks the answer, and applies it to the model. */
  protected abstract perform(model: Model, client: Client): Promise<void>;

  abstract toString(): string;

  async run(model: Model, client: Client): Promise<void> {
    await this.perform(model, client);
    if (client.target.lives !== client.comparedLives) await compare(model, client);
  }
}
