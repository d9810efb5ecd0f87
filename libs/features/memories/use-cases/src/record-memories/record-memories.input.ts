import {
  asDecorator,
  type Complaint,
  IsContainerTag,
  IsDateText,
  IsFlag,
  IsMemoryMetadata,
  IsNested,
  IsText,
  IsTextList,
  invalid,
  Nullable,
  Required,
  Rule,
  readInput,
  ShownBy,
} from '#platform/input';
import { isoTime, type Metadata, type Principal } from '#platform/kernel';
import { type NewMemory, RecordMemories } from './record-memories.command.ts';

export const MAX_MEMORY = 10_000;
const MAX_MEMORIES = 100;
const MAX_REASON = 1_000;

/** Dates of what a memory says. */
export class TemporalContextInput {
  /** When it was said. */
  @Nullable()
  @IsDateText()
  documentDate?: string | null;

  /** The dates of which it speaks. */
  @Nullable()
  @IsTextList()
  eventDate?: string[] | null;
}

/** What callers say of a memory beside its text. */
export class MemoryDetails {
  /** Flat key/value pairs for filters. Values are strings, numbers, booleans or lists of strings. */
  @IsMemoryMetadata()
  metadata?: Metadata;

  /** When the memory expires. Null: never. */
  @Nullable()
  @IsDateText()
  forgetAfter?: string | null;

  /** Why it expires. */
  @Nullable()
  @IsText({ max: MAX_REASON })
  forgetReason?: string | null;

  /** Dates of what the memory says. */
  @Nullable()
  @IsNested(TemporalContextInput)
  temporalContext?: TemporalContextInput | null;
}

/** A memory to record. */
@ShownBy({ 'A fact': { content: 'Mara lives in Oslo.', isStatic: true } })
export class MemoryInput extends MemoryDetails {
  /** The statement. */
  @Required()
  @IsText({ min: 1, max: MAX_MEMORY })
  content!: string;

  /** A lasting fact. */
  @IsFlag()
  isStatic = false;
}

/** The entries are checked when the command is made. */
function IsMemories(): PropertyDecorator {
  const item = { $ref: '#/components/schemas/MemoryInput' };
  const schema = { type: 'array', minItems: 1, maxItems: MAX_MEMORIES, items: item };
  return asDecorator('isMemories', new Rule(schema, memoriesComplaint, { known: () => MemoryInput }));
}

function memoriesComplaint(value: unknown): Complaint | null {
  if (!Array.isArray(value)) return { says: 'must be an array' };
  return value.length >= 1 && value.length <= MAX_MEMORIES ? null : { says: `must have 1 to ${MAX_MEMORIES} entries` };
}

/** Memories to record under a tag. */
@ShownBy({
  'Two facts': {
    containerTag: 'user-mara',
    memories: [
      { content: 'Mara lives in Oslo.', isStatic: true },
      { content: 'Mara is on leave.', forgetAfter: '2099-07-01T00:00:00.000Z', metadata: { kind: 'status' } },
    ],
  },
})
export class RecordMemoriesInput {
  /** The group of the memories. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** 1 to 100 memories. */
  @Required()
  @IsMemories()
  memories!: readonly unknown[];
}

/** @throws InputError for a wrong entry */
export const recordMemories = (principal: Principal, body: RecordMemoriesInput, key: string | null): RecordMemories =>
  new RecordMemories(
    principal,
    body.containerTag,
    body.memories.map((memory, i) => newMemory(readMemory(memory, `memories[${i}]`))),
    key,
  );

function readMemory(memory: unknown, place: string): MemoryInput {
  const input = readInput(MemoryInput, memory, 'ignore', place);
  if (input.content.trim() === '') throw invalid(`${place}.content`, `${place}.content must not be blank`);
  return input;
}

function newMemory({ content, isStatic, ...details }: MemoryInput): NewMemory {
  return {
    ...{ text: content, isStatic, metadata: null, forgetAfter: null, forgetReason: null, temporalContext: null },
    ...sentDetails(details),
  };
}

/** Only the fields that were sent. */
export function sentDetails({ metadata, forgetAfter, forgetReason, temporalContext }: MemoryDetails) {
  return {
    ...(metadata !== undefined && { metadata }),
    ...(forgetAfter !== undefined && { forgetAfter: forgetAfter && isoTime(Date.parse(forgetAfter)) }),
    ...(forgetReason !== undefined && { forgetReason }),
    ...(temporalContext !== undefined && {
      temporalContext: temporalContext && {
        documentDate: temporalContext.documentDate ?? null,
        eventDate: temporalContext.eventDate ?? null,
      },
    }),
  };
}
