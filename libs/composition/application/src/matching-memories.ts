import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { ForgottenBatch } from '#features/memories/use-cases';
import { err, ok, type Principal, permits, type Result, writeScope } from '#platform/kernel';
import { checkMatching, type ForgetMatchingInput, forgetMemories, searchMatching } from './forget-matching.input.ts';

export interface MatchedMemories {
  readonly batch: ForgottenBatch;
  /** By the id of the first version. Empty: the request names the memories. */
  readonly scores: ReadonlyMap<string, number>;
}

/** Forgets memories that a search finds, or that a request names. */
@Injectable()
export class MatchingMemories {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  /** @throws InputError if it is not clear which memories are meant */
  async forget(principal: Principal, body: ForgetMatchingInput): Promise<Result<MatchedMemories, 'forbidden'>> {
    checkMatching(body);
    // Before the search, which a key that may only read is permitted.
    if (!permits(writeScope(principal), [body.containerTag])) return err('forbidden');
    const scores = new Map<string, number>();
    if (body.query !== undefined) {
      const { results } = await this.queries.execute(searchMatching(principal, body, body.query));
      // A memory without a row of its own is named by its passage.
      for (const { unit, document, similarity } of results)
        scores.set(document.memory === undefined ? unit.id : document.id, similarity);
    }
    const forgotten = await this.commands.execute(forgetMemories(principal, body, body.ids ?? [...scores.keys()]));
    return forgotten.ok ? ok({ batch: forgotten.value, scores }) : forgotten;
  }
}
