import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  changeTranscript,
  compareMessages,
  DocumentRepository,
  DocumentTexts,
  type Draft,
  type Live,
  type MessageChange,
  transcriptOf,
} from '#documents';
import { type Cause, type Recording, requestCause } from '#event-store';
import { type AccessScope, CLOCK, type Clock, contentHash, err, newId, ok, permitsEach, type Result } from '#kernel';
import { type AcceptedDocument, acceptedAs } from '../accepted-document.ts';
import { type ContentChange, decideAdd, decideAddAgain } from '../add-document/decide.ts';
import { BACKLOG, type Backlog, STORAGE_GUARD, type StorageGuard } from '../add-document/ports.ts';
import { type SentContent, StoredContents } from '../add-document/stored-contents.ts';
import { IdempotencyKeys } from '../idempotency-keys.ts';
import { JointRecorder } from '../joint-recorder.ts';
import { SaveConversation, type SaveRefusal, type SentConversation } from './save-conversation.command.ts';

type Saved = Result<AcceptedDocument, SaveRefusal>;

interface Call {
  readonly scope: AccessScope;
  readonly cause: Cause;
  /** Of the document, if it is new. */
  readonly id: string;
  readonly isRetry: boolean;
}

@CommandHandler(SaveConversation)
export class SaveConversationHandler implements ICommandHandler<SaveConversation> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    private readonly recorder: JointRecorder,
    private readonly keys: IdempotencyKeys,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, conversation, attempt }: SaveConversation): Promise<Saved> {
    if (this.backlog.full()) return err('backlog_full');
    this.storage.assertWritable();
    if (!permitsEach(scope, conversation.tags)) return err('forbidden');
    const { idempotencyKey, isRetry } = attempt;
    const cause = requestCause(actor);
    if (idempotencyKey !== null) return this.#saveOnce(scope, cause, conversation, idempotencyKey);
    return this.#save({ scope, cause, id: newId(), isRetry }, conversation);
  }

  /** Carries out the first request with a key; the same request again gets the answer of the first. */
  async #saveOnce(scope: AccessScope, cause: Cause, conversation: SentConversation, key: string): Promise<Saved> {
    // Checked before the key is claimed, so that a forbidden request changes nothing.
    const target = await this.documents.together.named(
      scope,
      conversation.conversationId,
      newId(),
      this.#recording(cause),
    );
    if (!target.ok) return target;
    const fingerprint = contentHash(key, JSON.stringify(conversation));
    const claim = await this.keys.claim(scope, cause, key, fingerprint);
    if (claim.fingerprint !== fingerprint) return err('idempotency_key_reused');
    const [answered] = claim.documentIds ?? [];
    if (answered) {
      const known = await this.documents.load(scope, answered);
      if (known.status === 'forbidden') return err('forbidden');
      return ok(acceptedAs(answered, known));
    }
    // It follows from the key, so that the document tells whether an unfinished attempt was recorded.
    const repeatable = { ...cause, correlationId: contentHash(key, fingerprint) };
    const saved = await this.#save({ scope, cause: repeatable, id: claim.documentId, isRetry: true }, conversation);
    if (saved.ok) await this.keys.answered(scope, cause, key, [saved.value.id]);
    return saved;
  }

  async #save(call: Call, conversation: SentConversation): Promise<Saved> {
    const { conversationId: customId } = conversation;
    const make = () => this.#draft(call, conversation);
    const [draft] = await this.recorder.record(call.scope, call.cause, [{ customId, make }]);
    if (!draft?.ok) return draft ?? err('forbidden');
    return ok(acceptedAs(draft.value.id, draft.value.state));
  }

  async #draft(call: Call, conversation: SentConversation): Promise<Result<Draft, 'forbidden'>> {
    const { scope, cause, id } = call;
    const recording = { ...this.#recording(cause), organization: scope.organization };
    const draft = await this.documents.together.named(scope, conversation.conversationId, id, recording);
    if (!draft.ok) return draft;
    const { state } = draft.value;
    if (state.status !== 'live') await this.#begin(draft.value, conversation, recording);
    else if (!state.requests.includes(cause.correlationId)) {
      await this.#continue(draft.value, state, conversation, call, recording);
    }
    return draft;
  }

  async #begin(draft: Draft, conversation: SentConversation, recording: Omit<Recording, 'tags'>): Promise<void> {
    const { conversationId: customId, messages, tags, metadata } = conversation;
    const content = transcriptOf(messages);
    const text = await this.texts.store(recording.organization, draft.id, content);
    const added = decideAdd({
      ...{ id: draft.id, customId, content: { text }, type: 'text', source: 'api', url: null, metadata },
      ...{ filepath: null, taskType: 'memory', documentDate: null, sizes: { characters: content.length } },
    });
    draft.add(added, { ...recording, tags });
    await this.#remember(draft, { kept: 0, added: messages }, { ...recording, tags });
  }

  async #continue(
    draft: Draft,
    state: Live,
    { messages, tags, metadata }: SentConversation,
    { isRetry }: Call,
    recording: Omit<Recording, 'tags'>,
  ): Promise<void> {
    const stored = await this.texts.messages(state);
    const compared = compareMessages(stored, messages, { lastAdded: state.conversation?.lastAdded ?? 0, isRetry });
    const change = await this.#contentChange(state, stored, compared, { metadata, isRetry });
    // Whether the request was carried out before has been checked.
    const decided = decideAddAgain(state, { correlationId: newId(), metadata, tags, change });
    if (!decided.ok) return;
    draft.add(decided.value.events, { ...recording, tags: decided.value.tags });
    await this.#remember(draft, compared, { ...recording, tags: decided.value.tags });
  }

  async #contentChange(
    state: Live,
    stored: Parameters<typeof changeTranscript>[1],
    change: MessageChange,
    request: Omit<SentContent, 'content'>,
  ): Promise<ContentChange> {
    const { organization, id } = state;
    if (change.added.length === 0) return { kind: 'none', isRepeated: false };
    const content = await this.texts.content(state);
    // An uploaded file, which the transcript follows as any other text does.
    if (content === null) return this.contents.compare(state, { ...request, content: transcriptOf(change.added) });
    const changed = changeTranscript(content, stored, change);
    if (changed === null) return { kind: 'none', isRepeated: false };
    const text = await this.texts.store(organization, id, 'append' in changed ? changed.append : changed.replace);
    if ('append' in changed) return { kind: 'append', text, sent: null };
    return { kind: 'replace', content: { text }, keepsFile: true };
  }

  async #remember(draft: Draft, { kept, added }: MessageChange, recording: Recording): Promise<void> {
    if (added.length === 0) return;
    const messages = await this.texts.storeList(recording.organization, draft.id, added);
    draft.add([{ type: 'MessagesReceived', payload: { kept, messages } }], recording);
  }

  #recording(cause: Cause): Pick<Recording, 'cause' | 'now'> {
    return { cause, now: this.clock.now() };
  }
}
