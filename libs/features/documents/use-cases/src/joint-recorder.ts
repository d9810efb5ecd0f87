import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import {
  DocumentDeletion,
  DocumentRepository,
  type Draft,
  type Drafted,
  Erasure,
  lossIn,
  type NameInTags,
} from '#features/documents';
import { type AcceptedContent, acceptedAs, type KeyedRequest } from '#features/documents/requests';
import { type AccessScope, err, giveWay, hasCode, newId, ok, type Result } from '#platform/kernel';
import { type Cause, ConcurrencyExhaustedError } from '#ports/event-store';

/** `tag_merging`: a tag of the document is being merged into another one. */
type Made<Refusal> = Result<Draft, Refusal | 'forbidden' | 'tag_merging'>;

/** What a command changes in one document, or why it refuses to. */
export interface DraftMaker<Refusal extends string = never> {
  /** Requests of this process that name the same customId take turns. Null: the document has none. */
  readonly customId: string | null;
  /** Makes the draft from what is stored; called again if others changed the document in the meantime. */
  make(): Promise<Made<Refusal>>;
}

const ATTEMPTS = 8;
/** Doubled with each lost race. */
const FIRST_PAUSE_MS = 4;
/** Drafts that are made at the same time: each may read and store long texts. */
const CONCURRENT = 32;
/** Attempts in which missing content is taken for that of a document that is just being deleted. */
const LOOKS_FOR_CONTENT = 3;

/** A maker with its latest draft and what became of it; undefined: none yet. */
interface Work<Refusal extends string> {
  readonly maker: DraftMaker<Refusal>;
  made?: Made<Refusal>;
  outcome?: Drafted;
  /** Documents that it was drafted for and that exist already: what was stored for them goes if they are deleted. */
  readonly known: Set<string>;
}

/** A draft of the one document of a request, and what the request is answered. */
export interface AnsweredDraft {
  readonly draft: Draft;
  readonly answer: AcceptedContent;
}

/** The one document of a request. */
interface OneDocument {
  readonly scope: AccessScope;
  readonly cause: Cause;
  /** By which the request names the document, with the tags that it names. Null: without a customId. */
  readonly name: NameInTags | null;
  /** Null: without an Idempotency-Key. */
  readonly keyed: KeyedRequest | null;
}

/** Records what a command changes in several documents: all of it or, after an error, nothing. */
@Injectable()
export class JointRecorder {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly deletion: DocumentDeletion,
    private readonly erasure: Erasure,
  ) {}

  /**
   * Durable when it resolves. On an engine without transactions over streams, an error after a part was recorded has the
   * new documents of that part deleted again; what was added to existing documents stays.
   * @returns the recorded drafts, in the order of their makers
   * @throws ConcurrencyExhaustedError, or as `EventStore.append`
   */
  async record<Refusal extends string = never>(
    scope: AccessScope,
    cause: Cause,
    makers: readonly DraftMaker<Refusal>[],
  ): Promise<readonly Made<Refusal>[]> {
    const all: Work<Refusal>[] = makers.map((maker) => ({ maker, known: new Set() }));
    const customIds = makers.flatMap(({ customId }) => customId ?? []);
    try {
      await this.documents.together.inTurn(scope, customIds, () => this.#recordAll(scope, all));
    } catch (error) {
      await this.#undo(scope, cause, all);
      throw error;
    } finally {
      await this.#eraseDeleted(scope, all);
    }
    return all.map(({ made }) => made as Made<Refusal>);
  }

  /**
   * As `record`, for a request for one document. If another attempt of the request has recorded it, nothing is recorded, and
   * the answer is that of the other one.
   * @param draftOf makes the draft. @param draftOf.id of the document, if it is a new one
   */
  async recordOne<Refusal extends string>(
    { scope, cause, name, keyed }: OneDocument,
    draftOf: (id: string) => Promise<Result<AnsweredDraft, Refusal | 'forbidden'>>,
  ): Promise<Result<AnsweredDraft, Refusal | 'forbidden' | 'tag_merging'>> {
    let answer: AcceptedContent | null = null;
    const make = async (): Promise<Made<Refusal>> => {
      const { id, earlier } = (await keyed?.prepare(name)) ?? { id: newId(), earlier: null };
      if (earlier !== null) {
        answer = { id: earlier.id, status: earlier.status, isNew: earlier.isNew };
        return this.documents.together.known(scope, earlier.id);
      }
      const made = await draftOf(id);
      if (!made.ok) return made;
      answer = made.value.answer;
      keyed?.rememberIn(made.value.draft, answer.status);
      return ok(made.value.draft);
    };
    const [recorded] = await this.record<Refusal>(scope, cause, [{ customId: name?.customId ?? null, make }]);
    if (!recorded?.ok) return recorded ?? err('forbidden');
    const draft = recorded.value;
    return ok({ draft, answer: answer ?? { ...acceptedAs(draft.id, draft.state), isNew: draft.isNew } });
  }

  async #recordAll<Refusal extends string>(scope: AccessScope, all: readonly Work<Refusal>[]): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const unmade = all.filter(({ made }) => made === undefined);
      await pLimit(CONCURRENT).map(unmade, async (work) => {
        if (unmade.length > 1) await giveWay();
        const made = await this.#make(work, attempt);
        if (made === undefined) return;
        work.made = made;
        if (made.ok && !made.value.isNew) work.known.add(made.value.id);
      });
      await this.#commit(scope, all);
      if (all.every(({ made, outcome }) => made !== undefined && (!made.ok || outcome === 'recorded'))) return;
      await pause(randomInt(FIRST_PAUSE_MS * 2 ** attempt));
    }
    throw new ConcurrencyExhaustedError(`${ATTEMPTS} attempts to change ${all.length} documents met other writers`);
  }

  /** A document that is deleted while it is compared has no content to read any more; undefined: it is to be made again. */
  async #make<Refusal extends string>({ maker }: Work<Refusal>, attempt: number): Promise<Made<Refusal> | undefined> {
    try {
      return await maker.make();
    } catch (error) {
      if (attempt > LOOKS_FOR_CONTENT || lossIn(error) === null) throw error;
      return undefined;
    }
  }

  /** Commits the drafts that are not recorded yet. @throws the error of the first that failed */
  async #commit<Refusal extends string>(scope: AccessScope, all: readonly Work<Refusal>[]): Promise<void> {
    const open = all.flatMap((work) =>
      work.outcome !== 'recorded' && work.made?.ok ? { work, draft: work.made.value } : [],
    );
    const outcomes = await this.documents.together.commit(
      scope,
      open.map(({ draft }) => draft),
    );
    for (const [i, { work, draft }] of open.entries()) {
      work.outcome = outcomes[i] as Drafted;
      if (work.outcome === 'forbidden') work.made = err('forbidden');
      if (work.outcome === 'conflict') {
        // Another request may have begun it with the id that this one claimed.
        work.known.add(draft.id);
        delete work.made;
      }
      if (typeof work.outcome === 'object' && hasCode(work.outcome.error, 'tag_merging'))
        work.made = err('tag_merging');
    }
    const failed = outcomes.find((outcome) => typeof outcome === 'object' && !hasCode(outcome.error, 'tag_merging'));
    if (typeof failed === 'object') throw failed.error;
  }

  /**
   * Documents may have been deleted after their content was stored and before it was recorded. Best effort: the garbage
   * collection finds what stays.
   */
  async #eraseDeleted({ organization }: AccessScope, all: readonly Work<string>[]): Promise<void> {
    const unrecorded = all.flatMap(({ made, outcome, known }) => {
      const recorded = outcome === 'recorded' && made?.ok ? made.value.id : null;
      return [...known].filter((id) => id !== recorded);
    });
    await pLimit(CONCURRENT).map(new Set(unrecorded), (id) =>
      this.erasure.eraseIfDeleted(this.documents, organization, id).catch(() => undefined),
    );
  }

  /** Best effort: an engine that has just failed may fail again. What stays is continued by a retry of the request. */
  async #undo(scope: AccessScope, cause: Cause, all: readonly Work<string>[]): Promise<void> {
    const added = all.flatMap(({ made, outcome }) =>
      outcome === 'recorded' && made?.ok && made.value.isNew ? made.value.id : [],
    );
    await pLimit(CONCURRENT).map(added, async (id) => {
      try {
        await this.deletion.delete(scope, cause, id);
        await this.erasure.erase(scope.organization, id);
      } catch {
        // The error that led here is the one to report.
      }
    });
  }
}
