import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DocumentRepository, memoryIn } from '#features/documents';
import { Admission, IdempotencyKeys, type KeyedRequest, type Take } from '#features/documents/requests';
import {
  haveSameDetails,
  isTooLarge,
  latestView,
  type Memory,
  type VersionView,
  versionViews,
} from '#features/memories';
import {
  type AccessScope,
  actorOf,
  CLOCK,
  type Clock,
  contentHashOf,
  err,
  jsonPieces,
  newId,
  ok,
  permits,
  type Result,
  writeScope,
} from '#platform/kernel';
import { type Cause, ConcurrencyExhaustedError, requestCause, StreamQueues } from '#ports/event-store';
import { languageOf } from '#processing/languages';
import { MemoryFinder } from '../memory-finder.ts';
import { MemoryVisibility } from '../memory-visibility.ts';
import { decideRecord, sameMemory } from './decide.ts';
import { type NewMemory, RecordMemories, type RecordRefusal } from './record-memories.command.ts';

interface Request {
  readonly scope: AccessScope;
  readonly tag: string;
  readonly cause: Cause;
  /** Null: without an Idempotency-Key. */
  readonly keyed: KeyedRequest | null;
}

/** What a request has led to. */
interface Outcome {
  /** For each memory of the request the version that answers it. */
  readonly answers: readonly VersionView[];
  readonly added: readonly VersionView[];
}

@CommandHandler(RecordMemories)
export class RecordMemoriesHandler implements ICommandHandler<RecordMemories> {
  /** By tag: equal memories that are sent at once must become one. */
  readonly #turns = new StreamQueues();

  constructor(
    private readonly documents: DocumentRepository,
    private readonly finder: MemoryFinder,
    private readonly visibility: MemoryVisibility,
    private readonly keys: IdempotencyKeys,
    private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(command: RecordMemories): Promise<Result<readonly VersionView[], RecordRefusal>> {
    const { principal, memories } = command;
    return this.admission.adding(
      principal.organization,
      (take) => this.#carryOut(command, take),
      (recorded) => (recorded.ok ? memories.length : 0),
    );
  }

  async #carryOut(command: RecordMemories, take: Take): Promise<Result<readonly VersionView[], RecordRefusal>> {
    const { principal, tag, memories, idempotencyKey: key } = command;
    const scope = writeScope(principal);
    if (!permits(scope, [tag])) return err('forbidden');
    if (memories.some(isTooLarge)) return err('memory_too_large');
    const own = { ...scope, tags: [tag] };
    const cause = requestCause(actorOf(principal));
    const refusal = async () => {
      const refused = this.admission.refusal(memories.length);
      if (refused === null) await take({ kind: 'memories', count: memories.length });
      return refused;
    };
    if (key === null) {
      const refused = await refusal();
      return refused === null
        ? ok(await this.#record({ scope: own, tag, cause, keyed: null }, memories))
        : err(refused);
    }
    const fingerprint = await contentHashOf([key, jsonPieces({ tag, memories })]);
    const opened = await this.keys.open({ scope: own, cause, key, fingerprint }, refusal);
    if (!opened.ok) return opened;
    const keyed = opened.value;
    if (keyed.fingerprint !== fingerprint) return err('idempotency_key_reused');
    const { answer } = keyed;
    if (answer !== null) {
      const remembered = (memory: NewMemory, i: number) => this.#remembered(own, memory, answer[i]?.documentId ?? '');
      return ok(await Promise.all(memories.map(remembered)));
    }
    const recorded = await this.#record({ scope: own, tag, cause: keyed.cause, keyed }, memories);
    const items = recorded.map(({ id }) => ({ documentId: id, status: 'done', revision: null }));
    await keyed.remember(items);
    return ok(recorded);
  }

  /** The answer to the first request, which was the same. */
  async #remembered(scope: AccessScope, memory: NewMemory, id: string): Promise<VersionView> {
    const known = await this.finder.withId(scope, id);
    const version = known && versionViews(known).find((one) => one.id === id);
    return version ?? newView(memory, id, this.clock.now());
  }

  /** Of one tag, requests are recorded one after the other. */
  async #record(request: Request, memories: readonly NewMemory[]): Promise<readonly VersionView[]> {
    const { organization } = request.scope;
    const key = JSON.stringify([organization, request.tag]);
    const head = await this.visibility.head();
    const { answers, added } = await this.#turns.run([key], () => this.#recordNow(request, memories));
    if (added.length > 0) await this.visibility.reached(organization, added, head);
    return answers;
  }

  async #recordNow(request: Request, memories: readonly NewMemory[]): Promise<Outcome> {
    const { scope, tag, cause, keyed } = request;
    const now = this.clock.now();
    const answers: VersionView[] = [];
    const added: VersionView[] = [];
    const { together } = this.documents;
    const drafts = [];
    const same = await this.finder.directWithTexts(scope, texts(memories), now);
    for (const [index, memory] of memories.entries()) {
      const id = keyed?.idOf(index) ?? newId();
      const known =
        (await this.#recordedAs(request, id)) ??
        viewOf(sameMemory(same, memory, now)) ??
        added.find((one) => haveSameDetails(one, memory));
      if (known !== undefined) {
        answers.push(known);
        continue;
      }
      const draft = together.unnamed(id);
      const version = { id, ...memory, language: languageOf(memory.text) };
      draft.add([decideRecord(version)], { organization: scope.organization, cause, tags: [tag], now });
      drafts.push(draft);
      const view = newView(memory, id, now);
      added.push(view);
      answers.push(view);
    }
    for (const outcome of await together.commit(scope, drafts)) {
      if (typeof outcome === 'object') throw outcome.error;
      // Another process carries out the same request; its next attempt is answered with what that one has recorded.
      if (outcome !== 'recorded')
        throw new ConcurrencyExhaustedError('The memories are being recorded by another request');
    }
    return { answers, added };
  }

  /** What an earlier attempt of the request has recorded. */
  async #recordedAs({ scope, keyed }: Request, id: string): Promise<VersionView | undefined> {
    if (!keyed?.isRepeated) return undefined;
    return viewOf(memoryIn(await this.documents.load(scope, id)));
  }
}

const texts = (memories: readonly NewMemory[]): string[] => memories.map(({ text }) => text);

const newView = (memory: NewMemory, id: string, now: number): VersionView => ({
  ...{ ...memory, id, createdAt: now, number: 1, parentId: null, rootId: id },
});

const viewOf = (memory: Memory | null | undefined): VersionView | undefined =>
  memory ? latestView(memory) : undefined;
