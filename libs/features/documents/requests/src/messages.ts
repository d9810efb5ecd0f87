import { imageOf, type Message, type MessagePart, PICTURE_BYTES, type Role } from '#features/documents';
import { asDecorator, type Complaint, isObject, type Known, Rule } from '#platform/input';
import { giveWay, type JsonObject } from '#platform/kernel';

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'tool'] satisfies Role[];
const MAX_NAME = 255;
/** Longest address of a picture that is kept, in UTF-16 code units. Of a larger one, only type and hash are. */
const MAX_PICTURE = Math.ceil((PICTURE_BYTES * 4) / 3) + 1_000;
/** Messages that are converted before other work may go on. */
const AT_ONCE = 100;

const TEXT_PART = {
  type: 'object',
  required: ['type', 'text'],
  properties: { type: { const: 'text' }, text: { type: 'string' } },
};
const IMAGE = { type: 'object', required: ['url'], properties: { url: { type: 'string' } } };
const IMAGE_PART = {
  type: 'object',
  required: ['type'],
  properties: { type: { const: 'image_url' }, imageUrl: IMAGE, image_url: IMAGE },
};
const schemaOf = (max: number | undefined) => ({
  type: 'array',
  minItems: 1,
  ...(max !== undefined && { maxItems: max }),
  items: {
    type: 'object',
    required: ['role'],
    properties: {
      role: { type: 'string', enum: ['user', 'assistant', 'system', 'tool'] },
      content: { oneOf: [{ type: 'string' }, { type: 'array', items: { oneOf: [TEXT_PART, IMAGE_PART] } }] },
      name: { type: 'string', maxLength: MAX_NAME },
      tool_calls: { type: 'array', items: { type: 'object' } },
      tool_call_id: { type: 'string' },
    },
  },
});

const KNOWN_IMAGE: Known = { url: true };
const KNOWN: Known = {
  role: true,
  content: { type: true, text: true, imageUrl: KNOWN_IMAGE, image_url: KNOWN_IMAGE },
  name: true,
  tool_calls: true,
  tool_call_id: true,
};

/** Messages of a conversation. Only a message of a tool, or one with tool calls, may be without content. */
export function IsMessages({ max }: { readonly max?: number } = {}): PropertyDecorator {
  return asDecorator('isMessages', new Rule(schemaOf(max), (value) => messagesComplaint(value, max), { known: KNOWN }));
}

function messagesComplaint(value: unknown, max: number | undefined): Complaint | null {
  if (!Array.isArray(value)) return { says: 'must be an array' };
  if (value.length === 0) return { says: 'must not be empty' };
  if (max !== undefined && value.length > max) return { says: `must have at most ${max} entries` };
  for (const [index, message] of value.entries()) {
    const complaint = messageComplaint(message);
    if (complaint !== null) return { ...complaint, below: `[${index}]${complaint.below ?? ''}` };
  }
  return null;
}

const at = (below: string, says: string): Complaint => ({ below, says });
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function messageComplaint(message: unknown): Complaint | null {
  if (!isObject(message)) return { says: 'must be an object' };
  const { role, content, name, tool_calls: calls, tool_call_id: callId } = message;
  if (!ROLES.includes(role)) return at('.role', `must be one of ${ROLES.join(', ')}`);
  if (isGiven(name) && (typeof name !== 'string' || name.length > MAX_NAME)) {
    return at('.name', `must be a string of at most ${MAX_NAME} characters`);
  }
  if (isGiven(calls) && !(Array.isArray(calls) && calls.every(isObject))) {
    return at('.tool_calls', 'must be an array of objects');
  }
  if (isGiven(callId) && typeof callId !== 'string') return at('.tool_call_id', 'must be a string');
  const complaint = contentComplaint(content);
  if (complaint !== null) return complaint;
  const mayBeEmpty = role === 'tool' || (Array.isArray(calls) && calls.length > 0);
  return mayBeEmpty || hasContent(content) ? null : at('.content', 'must not be empty');
}

function contentComplaint(content: unknown): Complaint | null {
  if (!isGiven(content) || typeof content === 'string') return null;
  if (!Array.isArray(content)) return at('.content', 'must be a string or an array of parts');
  for (const [index, part] of content.entries()) {
    const place = `.content[${index}]`;
    if (!isObject(part)) return at(place, 'must be an object');
    if (part.type === 'text' && typeof part.text !== 'string') return at(`${place}.text`, 'must be a string');
    if (part.type === 'image_url' && urlIn(part) === null) return at(`${place}.imageUrl.url`, 'must be a string');
    if (part.type !== 'text' && part.type !== 'image_url') return at(`${place}.type`, 'must be text or image_url');
  }
  return null;
}

const hasContent = (content: unknown): boolean =>
  typeof content === 'string' ? content !== '' : Array.isArray(content) && content.length > 0;

function urlIn({ imageUrl, image_url: snake }: Readonly<Record<string, unknown>>): string | null {
  const image = isGiven(imageUrl) ? imageUrl : snake;
  return isObject(image) && typeof image.url === 'string' ? image.url : null;
}

/** Returns the texts of the users' turns among messages that `IsMessages` has accepted, the last one first. */
export function* userTurns(accepted: readonly unknown[]): Generator<string> {
  for (const message of (accepted as readonly Readonly<Record<string, unknown>>[]).toReversed()) {
    const texts = message.role === 'user' ? textsOf(message.content) : [];
    if (texts.length > 0) yield texts.join('\n');
  }
}

function textsOf(content: unknown): readonly string[] {
  const parts = (Array.isArray(content) ? content : [{ type: 'text', text: content }]) as readonly MessageText[];
  return parts.flatMap(({ type, text }) => (type === 'text' && text?.trim() ? [text] : []));
}

interface MessageText {
  readonly type: string;
  readonly text?: string | null;
}

interface SentMessages {
  readonly messages: readonly Message[];
  /** Pictures that were sent inside their addresses: the whole address by that in the messages. */
  readonly pictures: ReadonlyMap<string, string>;
}

/** Messages that `IsMessages` has accepted, as they are compared and stored. */
export async function messagesOf(accepted: readonly unknown[]): Promise<SentMessages> {
  const messages: Message[] = [];
  const pictures = new Map<string, string>();
  for (const message of accepted as readonly Readonly<Record<string, unknown>>[]) {
    messages.push(messageOf(message, pictures));
    if (messages.length % AT_ONCE === 0) await giveWay();
  }
  return { messages, pictures };
}

const messageOf = (
  { role, content, name, tool_calls: calls }: Readonly<Record<string, unknown>>,
  pictures: Map<string, string>,
): Message => ({
  role: role as Role,
  parts: partsOf(content, pictures),
  ...(isGiven(name) && { name: name as string }),
  ...(Array.isArray(calls) && calls.length > 0 && { toolCalls: calls as readonly JsonObject[] }),
});

function partsOf(content: unknown, pictures: Map<string, string>): readonly MessagePart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  return ((content ?? []) as readonly Readonly<Record<string, unknown>>[]).map((part) => {
    if (part.type === 'text') return { text: part.text as string };
    const url = urlIn(part) as string;
    const image = imageOf(url);
    if (image !== url && url.length <= MAX_PICTURE) pictures.set(image, url);
    return { image };
  });
}
