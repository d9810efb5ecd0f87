import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  ConversationPictures,
  changeTranscript,
  compareMessages,
  continueMessages,
  DocumentTexts,
  type Draft,
  exceedsTagLimits,
  type Live,
  type MessageChange,
  picturesIn,
  transcriptOf,
} from '#features/documents';
import {
  type AcceptedContent,
  Admission,
  acceptedAs,
  IdempotencyKeys,
  type KeyedRequest,
  type Take,
} from '#features/documents/requests';
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
  permitsEach,
  type Result,
  writeScope,
} from '#platform/kernel';
import { type Cause, type Recording, requestCause } from '#ports/event-store';
import { type ContentChange, decideAdd, decideAddAgain } from '../add-document/decide.ts';
import { DraftedAdds } from '../add-document/drafted-adds.ts';
import { SaidAgain } from '../add-document/said-again.ts';
import { type SentContent, StoredContents } from '../add-document/stored-contents.ts';
import { type NoTags, tagsOfNew } from '../add-document/tags.ts';
import { type AnsweredDraft, JointRecorder } from '../joint-recorder.ts';
import { SaveConversation, type SaveRefusal, type SentConversation } from './save-conversation.command.ts';

type Drafted = Result<AnsweredDraft, NoTags>;
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
    private readonly drafts: DraftedAdds,
    private readonly texts: DocumentTexts,
    private readonly contents: StoredContents,
    private readonly saidAgain: SaidAgain,
    private readonly pictures: ConversationPictures,
    private readonly recorder: JointRecorder,
    private readonly keys: IdempotencyKeys,
    private readonly admission: Admission,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(command: SaveConversation): Promise<Saved> {
    return this.admission.adding(
      command.principal.organization,
      (take) => this.#carryOut(command, take),
      (saved) => (saved.ok && saved.value.isNew ? 1 : 0),
    );
  }

  async #carryOut({ principal, conversation, attempt, pictures }: SaveConversation, take: Take): Promise<Saved> {
    const scope = writeScope(principal);
    if (exceedsTagLimits(conversation.tags)) return err('too_many_tags');
    if (!permitsEach(scope, conversation.tags)) return err('forbidden');
    const { idempotencyKey, isRetry } = attempt;
    const cause = requestCause(actorOf(principal));
    const call = { scope, cause, isRetry, pictures, keyed: null };
    if (idempotencyKey !== null) return this.#saveOnce(call, conversation, idempotencyKey, take);
    const refused = this.admission.refusal();
    if (refused !== null) return err(refused);
    await this.#take(call, conversation, take);
    return this.#save(call, conversation);
  }

  #take(call: Call, { conversationId: customId, tags }: SentConversation, take: Take): Promise<void> {
    const newOnes = () => this.drafts.countNew(call, [{ customId, tags }]);
    return take({ kind: 'documents', count: 1, newOnes });
  }

  async #saveOnce(call: Call, conversation: SentConversation, key: string, take: Take): Promise<Saved> {
    const { conversationId } = conversation;
    const { scope, cause } = call;
    const fingerprint = await contentHashOf([key, jsonPieces(conversation)]);
    return this.keys.once<SaveRefusal>(
      { scope, cause, key, fingerprint },
      {
        refusal: async () => {
          const refused = this.admission.refusal();
          if (refused !== null) return refused;
          const target = await this.drafts.open(call, { customId: conversationId, tags: conversation.tags }, newId());
          if (!target.ok) return target.error;
          await this.#take(call, conversation, take);
          return null;
        },
        carryOut: (keyed) => this.#save({ ...call, cause: keyed.cause, keyed }, conversation),
      },
    );
  }

  async #save(call: Call, conversation: SentConversation): Promise<Saved> {
    const { scope, cause, keyed } = call;
    const { conversationId: customId, tags } = conversation;
    const request = { scope, cause, name: { customId, tags }, keyed };
    const saved = await this.recorder.recordOne(request, (id) => this.#draft(call, id, conversation));
    return saved.ok ? ok(saved.value.answer) : saved;
  }

  async #draft(call: Call, id: string, conversation: SentConversation): Promise<Drafted> {
    const { scope, cause } = call;
    const recording = { ...this.#recording(cause), organization: scope.organization };
    const { conversationId: customId, tags: named } = conversation;
    const opened = await this.drafts.open(call, { customId, tags: named }, id);
    if (!opened.ok) return opened;
    const draft = opened.value;
    const { state } = draft;
    if (state.status !== 'live') {
      const tags = tagsOfNew(scope, named);
      if (!tags.ok) return tags;
      await this.#begin(draft, conversation, call, { ...recording, tags: tags.value });
    } else await this.#continue(draft, state, conversation, call, { ...recording, tags: state.tags });
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

  async #continue(
    draft: Draft,
    state: Live,
    { messages, metadata, known }: SentConversation,
    { scope, cause, isRetry, pictures }: Call,
    recording: Recording,
  ): Promise<void> {
    const stored = await this.texts.messages(state);
    const earlier = { lastAdded: state.conversation?.lastAdded ?? 0, isRetry };
    const compared = known
      ? await continueMessages(stored, messages, known)
      : await compareMessages(stored, messages, earlier);
    const change = await this.#contentChange(state, stored, compared, { metadata, isRetry });
    await this.saidAgain.restore({ scope, cause }, state, change, () => transcriptOf(messages));
    const decided = decideAddAgain(state, { metadata, change });
    if (decided.ok) draft.add(decided.value, recording);
    await this.#remember(draft, compared, pictures, recording);
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
