import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  ConversationPictures,
  changeTranscript,
  compareMessages,
  DocumentRepository,
  DocumentTexts,
  type Draft,
  exceedsTagLimits,
  type Live,
  type MessageChange,
  picturesIn,
  transcriptOf,
} from '#documents';
import { type Cause, type Recording, requestCause } from '#event-store';
import {
  type AccessScope,
  CLOCK,
  type Clock,
  contentHashOf,
  err,
  jsonPieces,
  newId,
  ok,
  permitsEach,
  type Result,
} from '#kernel';
import { type AcceptedContent, acceptedAs } from '../accepted-document.ts';
import { type ContentChange, decideAdd, decideAddAgain } from '../add-document/decide.ts';
import { BACKLOG, type Backlog, isFull, STORAGE_GUARD, type StorageGuard } from '../add-document/ports.ts';
import { type SentContent, StoredContents } from '../add-document/stored-contents.ts';
import { type NoTags, tagsOfNew } from '../add-document/tags.ts';
import { IdempotencyKeys } from '../idempotency-keys.ts';
import { type AnsweredDraft, JointRecorder } from '../joint-recorder.ts';
import type { KeyedRequest } from '../keyed-request.ts';
import { SaveConversation, type SaveRefusal, type SentConversation } from './save-conversation.command.ts';

type Drafted = Result<AnsweredDraft, NoTags | 'too_many_tags'>;
type Saved = Result<AcceptedContent, SaveRefusal>;

interface Call {
  readonly scope: AccessScope;
  readonly cause: Cause;
  readonly isRetry: boolean;
  readonly pictures: SaveConversation['pictures'];
  /** Null: without an Idempotency-Key. */
  readonly keyed: KeyedRequest | null;
}

@CommandHandler(SaveConversation)
export class SaveConversationHandler implements ICommandHandler<SaveConversation> {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    private readonly pictures: ConversationPictures,
    private readonly recorder: JointRecorder,
    private readonly keys: IdempotencyKeys,
    @Inject(BACKLOG) private readonly backlog: Backlog,
    @Inject(STORAGE_GUARD) private readonly storage: StorageGuard,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ scope, actor, conversation, attempt, pictures }: SaveConversation): Promise<Saved> {
    if (exceedsTagLimits(conversation.tags)) return err('too_many_tags');
    if (!permitsEach(scope, conversation.tags)) return err('forbidden');
    const { idempotencyKey, isRetry } = attempt;
    const cause = requestCause(actor);
    const call = { scope, cause, isRetry, pictures, keyed: null };
    if (idempotencyKey !== null) return this.#saveOnce(call, conversation, idempotencyKey);
    if (isFull(this.backlog, this.storage)) return err('backlog_full');
    return this.#save(call, conversation);
  }

  async #saveOnce(call: Call, conversation: SentConversation, key: string): Promise<Saved> {
    const { conversationId } = conversation;
    const { scope, cause } = call;
    const fingerprint = await contentHashOf([key, jsonPieces(conversation)]);
    return this.keys.once<SaveRefusal>(
      { scope, cause, key, fingerprint },
      {
        refusal: async () => {
          if (isFull(this.backlog, this.storage)) return 'backlog_full';
          const target = await this.documents.together.named(scope, conversationId, newId(), this.#recording(cause));
          if (!target.ok) return target.error;
          const tags = target.value.isNew ? tagsOfNew(scope, conversation.tags) : ok(conversation.tags);
          return tags.ok ? null : tags.error;
        },
        carryOut: (keyed) => this.#save({ ...call, cause: keyed.cause, keyed }, conversation),
      },
    );
  }

  async #save(call: Call, conversation: SentConversation): Promise<Saved> {
    const { scope, cause, keyed } = call;
    const request = { scope, cause, customId: conversation.conversationId, keyed };
    const saved = await this.recorder.recordOne(request, (id) => this.#draft(call, id, conversation));
    return saved.ok ? ok(saved.value.answer) : saved;
  }

  async #draft(call: Call, id: string, conversation: SentConversation): Promise<Drafted> {
    const { scope, cause } = call;
    const recording = { ...this.#recording(cause), organization: scope.organization };
    const opened = await this.documents.together.named(scope, conversation.conversationId, id, recording);
    if (!opened.ok) return opened;
    const draft = opened.value;
    const { state } = draft;
    if (state.status !== 'live') {
      const tags = tagsOfNew(scope, conversation.tags);
      if (!tags.ok) return tags;
      await this.#begin(draft, conversation, call, { ...recording, tags: tags.value });
    } else if (!(await this.#continue(draft, state, conversation, call, recording))) return err('too_many_tags');
    return ok({ draft, answer: { ...acceptedAs(draft.id, draft.state), isNew: draft.isNew } });
  }

  async #begin(draft: Draft, conversation: SentConversation, { pictures }: Call, recording: Recording): Promise<void> {
    const { conversationId: customId, messages, metadata } = conversation;
    const content = await transcriptOf(messages);
    const text = await this.texts.store(recording.organization, draft.id, content);
    const added = decideAdd({
      ...{ id: draft.id, customId, content: { text }, type: 'text', source: 'api', url: null, metadata },
      ...{ filepath: null, taskType: 'memory', documentDate: null, sizes: { characters: content.length } },
    });
    draft.add(added, recording);
    await this.#remember(draft, { kept: 0, added: messages, isDelta: false }, pictures, recording);
  }

  /** Returns whether the document may have the tags. */
  async #continue(
    draft: Draft,
    state: Live,
    { messages, tags, metadata }: SentConversation,
    { isRetry, pictures }: Call,
    recording: Omit<Recording, 'tags'>,
  ): Promise<boolean> {
    const stored = await this.texts.messages(state);
    const earlier = { lastAdded: state.conversation?.lastAdded ?? 0, isRetry };
    const compared = await compareMessages(stored, messages, earlier);
    const change = await this.#contentChange(state, stored, compared, { metadata, isRetry });
    const decided = decideAddAgain(state, { metadata, tags, change });
    if (!decided.ok) return decided.error !== 'too_many_tags';
    draft.add(decided.value.events, { ...recording, tags: decided.value.tags });
    await this.#remember(draft, compared, pictures, { ...recording, tags: decided.value.tags });
    return true;
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
    if (content === null) {
      return this.contents.compare(state, { ...request, content: await transcriptOf(change.added) });
    }
    const changed = await changeTranscript(content, stored, change);
    if (changed === null) return { kind: 'none', isRepeated: false };
    const text = await this.texts.store(organization, id, 'append' in changed ? changed.append : changed.replace);
    if ('append' in changed) {
      const { border } = changed;
      return { kind: 'append', text, sent: null, borders: border === null ? [] : [border] };
    }
    return { kind: 'replace', content: { text }, keepsFile: true };
  }

  async #remember(
    draft: Draft,
    { kept, added }: MessageChange,
    urls: SaveConversation['pictures'],
    recording: Recording,
  ): Promise<void> {
    if (added.length === 0) return;
    const { organization } = recording;
    const messages = await this.texts.storeList(organization, draft.id, added);
    const images = picturesIn(added);
    const known = draft.state.status === 'live' ? (draft.state.conversation?.pictures?.sent ?? []) : [];
    const sentPictures = await this.pictures.store({ organization, id: draft.id }, images, urls, known);
    const pictures = {
      ...(images.length > 0 && { pictures: images.length }),
      ...(sentPictures.length > 0 && { sentPictures }),
    };
    draft.add([{ type: 'MessagesReceived', payload: { kept, messages, ...pictures } }], recording);
  }

  #recording(cause: Cause): Pick<Recording, 'cause' | 'now'> {
    return { cause, now: this.clock.now() };
  }
}
