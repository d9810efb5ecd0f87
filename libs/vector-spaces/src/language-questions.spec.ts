import { systemScope } from '#kernel';
import { EmbedderOff, ModelUnavailableError } from '#models';
import { LanguageQuestions } from './language-questions.ts';

const SCOPE = systemScope('org');

class Model extends EmbedderOff {
  asked = 0;
  fault: Error | null = null;

  override async embedQuestion(): Promise<Float32Array> {
    this.asked += 1;
    if (this.fault !== null) throw this.fault;
    return Float32Array.of(1);
  }
}

let serving: Model;
let coming: Model;
beforeEach(() => {
  [serving, coming] = [new Model(), new Model()];
});

async function spacesOf(held: readonly string[], usesLanguages = true): Promise<readonly string[]> {
  const forLanguages = () => [
    { name: 'a', embedder: serving },
    { name: 'b', embedder: coming },
  ];
  const views = {
    heldSpaces: async (_: unknown, spaces: readonly string[]) => spaces.filter((one) => held.includes(one)),
  };
  const questions = new LanguageQuestions({ forLanguages, usesLanguages }, views);
  const [first, second] = await questions.vectorsOf(['Warum?', 'Wozu?'], SCOPE);
  expect(second?.map(({ space }) => space)).toEqual(first?.map(({ space }) => space));
  return (first ?? []).map(({ space }) => space);
}

test('a question is embedded in each space that its scope holds, and by no other model', async () => {
  expect(await spacesOf(['a', 'b'])).toEqual(['a', 'b']);
  expect(await spacesOf(['b'])).toEqual(['b']);
  expect(await spacesOf([])).toEqual([]);
  expect([serving.asked, coming.asked]).toEqual([2, 4]);
});

test('no model is asked before a document in another language was embedded', async () => {
  expect(await spacesOf(['a'], false)).toEqual([]);
  expect(serving.asked).toBe(0);
});

test('a model that cannot be had leaves the vectors of the others', async () => {
  serving.fault = new ModelUnavailableError('no source has it');
  expect(await spacesOf(['a', 'b'])).toEqual(['b']);
});
