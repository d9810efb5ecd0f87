import { AddDocumentInput, UploadInput } from '#features/documents/use-cases';
import { MemorySearchInclude, SearchMemoriesInput } from '#features/search/use-cases';
import { type InputClass, InputError, readInput, type UnknownKeys } from './index.ts';

function refusal(type: InputClass, input: unknown, unknownKeys: UnknownKeys = 'ignore') {
  try {
    readInput(type, input, unknownKeys);
  } catch (error) {
    const { code, message, details } = error as InputError;
    expect(error).toBeInstanceOf(InputError);
    return { code, message, details };
  }
  throw new Error('the input was accepted');
}

test('copies declared fields, keeps defaults and counts null as absent', () => {
  const body = readInput(
    SearchMemoriesInput,
    { q: 'x', limit: null, threshold: 0, include: { documents: true } },
    'ignore',
  );
  expect(body).toBeInstanceOf(SearchMemoriesInput);
  expect(body.include).toBeInstanceOf(MemorySearchInclude);
  expect(body).toMatchObject({ q: 'x', limit: 10, threshold: 0, include: { documents: true, chunks: false } });
});

test('keeps metadata by reference, with keys such as __proto__ and constructor', () => {
  const input = JSON.parse('{"content":"x","metadata":{"__proto__":"a","constructor":"b","toString":1}}');
  const { metadata } = readInput(AddDocumentInput, input, 'ignore');
  expect(metadata).toBe(input.metadata);
  expect(Object.keys(metadata ?? {})).toEqual(['__proto__', 'constructor', 'toString']);
});

test('takes no field from the prototype of the input', () => {
  const input = Object.create({ content: 'inherited' });
  expect(refusal(AddDocumentInput, input)).toMatchObject({ message: 'content is required' });
  const body = readInput(AddDocumentInput, JSON.parse('{"content":"x","__proto__":{"customId":"c"}}'), 'ignore');
  expect(body.customId).toBeUndefined();
  expect(Object.getPrototypeOf(body)).toBe(AddDocumentInput.prototype);
});

test('names the first wrong field in the order of declaration, parents first', () => {
  expect(refusal(AddDocumentInput, { customId: 1, taskType: 1 })).toMatchObject({ details: 'taskType' });
  expect(refusal(UploadInput, { mimeType: 1, fileType: 1 })).toMatchObject({ details: 'fileType' });
});

test.each([
  [
    AddDocumentInput,
    { content: 'x', metadata: { $property: [] } },
    'metadata.$property must be a string, number or boolean',
  ],
  [AddDocumentInput, { content: 'x', containerTags: ['a', 1] }, 'containerTags[1] must be a string'],
  [AddDocumentInput, { content: 'x', taskType: '$value' }, 'taskType must be one of memory, superrag'],
  [SearchMemoriesInput, { q: 'x', include: { chunks: 1 } }, 'include.chunks must be true or false'],
  [SearchMemoriesInput, { q: 'x', include: 1 }, 'include must be an object'],
  [SearchMemoriesInput, { q: '' }, 'q must not be empty'],
])('%p %j is refused with a sentence that begins with the path', (type, input, message) => {
  expect(refusal(type, input)).toMatchObject({ message, details: message.slice(0, message.indexOf(' must')) });
});

test('unknown keys are ignored or refused, also in nested objects', () => {
  const input = { q: 'x', include: { documents: true, titles: true }, title: 'x' };
  expect(readInput(SearchMemoriesInput, input, 'ignore')).not.toHaveProperty('title');
  expect(refusal(SearchMemoriesInput, input, 'refuse')).toEqual({
    code: 'invalid_request',
    message: 'title is not a known field',
    details: 'title',
  });
  expect(refusal(SearchMemoriesInput, { q: 'x', include: { titles: true } }, 'refuse').details).toBe('include.titles');
});
