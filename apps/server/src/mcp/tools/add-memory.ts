import { AddDocumentInput, addDocument } from '#features/documents/use-cases';
import { ForgetMemory } from '#features/memories/use-cases';
import { SearchMemoriesInput, searchMemories } from '#features/search/use-cases';
import { IsContainerTag, IsOneOf, IsText, Required } from '#platform/input';
import { statusOf } from '../../http/documents/status-words.ts';
import { valueOrThrow } from '../../http/errors/refusals.ts';
import { type Caller, namedTag, type Services, writtenTag } from '../caller.ts';
import { FLAG, objectOf, oneOf, STATUS, TEXT, TEXT_OR_NULL } from '../schema.ts';
import { type ToolAnswer, tool } from '../tool.ts';
import { SPACE } from './about.ts';

/** Of a memory that is forgotten although its text is another one. */
const SURE = 0.85;
/** Characters of a text that a memory can have. */
const MAX_MEMORY = 10_000;
/** As a question it would list the newest. */
const ANYTHING = '*';

class Arguments {
  @Required()
  @IsText({ min: 1, max: 200_000 })
  content!: string;

  @IsOneOf(['save', 'forget'])
  action: 'save' | 'forget' = 'save';

  @IsContainerTag()
  containerTag?: string;
}

export const addMemory = tool<Arguments>({
  name: 'add_memory',
  title: 'Save a memory',
  description:
    'Saves what is worth remembering beyond this conversation: lasting facts, preferences, decisions, notes, or a whole text. ' +
    'With action forget: forgets the memory with this text, or the one that plainly means it.',
  permission: 'write',
  countedAs: 'add',
  input: Arguments,
  about: {
    content: 'What to save, in sentences that stand by themselves; or what to forget.',
    action: 'save, or forget.',
    containerTag: SPACE,
  },
  output: objectOf(
    {
      ...{ action: oneOf('save', 'forget'), success: FLAG, containerTag: TEXT_OR_NULL, message: TEXT },
      ...{ id: TEXT, status: STATUS },
    },
    ['id', 'status'],
  ),
  run: (services, caller, input) =>
    input.action === 'save' ? save(services, caller, input) : forget(services, caller, input),
});

async function save({ commands }: Services, caller: Caller, { content, containerTag }: Arguments): Promise<ToolAnswer> {
  const tag = namedTag(caller, containerTag);
  const input = Object.assign(new AddDocumentInput(), { content, ...(tag !== undefined && { containerTag: tag }) });
  const attempt = { idempotencyKey: null, isRetry: false };
  const { id, status } = valueOrThrow(await commands.execute(addDocument(caller.principal, input, attempt)));
  const message = 'Saved. Searches find it in a moment.';
  const about = { action: 'save', success: true, containerTag: writtenTag(caller, containerTag), message };
  return { text: message, structured: { ...about, id, status: statusOf(status, 'plain') } };
}

async function forget(
  { commands, queries }: Services,
  caller: Caller,
  { content, containerTag }: Arguments,
): Promise<ToolAnswer> {
  const { principal } = caller;
  const tag = writtenTag(caller, containerTag);
  const answer = (success: boolean, message: string, id?: string): ToolAnswer => ({
    text: message,
    structured: { action: 'forget', success, containerTag: tag, message, ...(id !== undefined && { id }) },
  });
  const exact = await commands.execute(new ForgetMemory(principal, tag, { text: content }, null));
  if (exact.ok) return answer(true, 'Forgotten.', exact.value);
  if (exact.error !== 'memory_not_found') valueOrThrow(exact);
  const input = Object.assign(new SearchMemoriesInput(), {
    ...{ q: content, threshold: SURE, limit: 1 },
    ...(tag !== null && { containerTag: tag }),
  });
  const canBeMeant = content.length <= MAX_MEMORY && content.trim() !== ANYTHING;
  const [best] = canBeMeant ? (await queries.execute(searchMemories(principal, input))).results : [];
  if (best === undefined) return answer(false, 'Nothing like this is remembered.');
  const id = best.document.memory === undefined ? best.unit.id : best.document.id;
  const similar = await commands.execute(new ForgetMemory(principal, tag, { id }, null));
  return answer(true, 'Forgotten.', valueOrThrow(similar));
}
