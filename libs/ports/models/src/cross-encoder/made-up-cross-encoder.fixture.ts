/**
 * Writes a made-up cross-encoder: its logit is twice the number of the question's words that the passage holds, minus 3.
 *
 *   node --conditions=mneme-source libs/ports/models/src/cross-encoder/made-up-cross-encoder.fixture.ts FOLDER
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Graph } from '../../../speech/src/onnx/graph.ts';

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const WORDS = ['walrus', 'kettle', 'blue', 'red', 'sings', 'the', 'is', 'a', 'who', 'what', '?', '.'];

function graph(): Uint8Array {
  const built = new Graph();
  const shape = ['batch', 'tokens'];
  const ids = built.input('input_ids', shape, 'int64');
  const types = built.input('token_type_ids', shape, 'int64');
  built.input('attention_mask', shape, 'int64');
  const isWord = built.node('Greater', [ids, built.integers(SPECIAL.length - 1)]);
  const isPassage = built.node('Cast', [types], { to: 9 });
  const ofQuestion = built.node('And', [isWord, built.node('Not', [isPassage])]);
  const ofPassage = built.node('And', [isWord, isPassage]);
  const rows = (value: string) => built.node('Unsqueeze', [value, built.integers(2)]);
  const columns = (value: string) => built.node('Unsqueeze', [value, built.integers(1)]);
  const same = built.node('Equal', [rows(ids), columns(ids)]);
  const both = built.node('And', [rows(ofQuestion), columns(ofPassage)]);
  const met = built.node('Cast', [built.node('And', [same, both])], { to: 1 });
  const held = built.node('ReduceMax', [met, built.integers(2)], { keepdims: 0 });
  const count = built.node('ReduceSum', [held, built.integers(1)], { keepdims: 1 });
  const logits = built.node(
    'Sub',
    [built.node('Mul', [count, built.number(2)]), built.number(3)],
    {},
    { name: 'logits' },
  );
  built.output(logits, ['batch', 1]);
  return built.encode();
}

const tokenizer = {
  version: '1.0',
  added_tokens: SPECIAL.map((content, id) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
  })),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: '[SEP]', type_id: 1 } },
    ],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    ...{ type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100 },
    vocab: Object.fromEntries([...SPECIAL, ...WORDS].map((word, id) => [word, id])),
  },
};

/** Writes the model into the folder `cross-encoder` of a folder of models. */
export async function writeMadeUpCrossEncoder(modelsFolder: string): Promise<void> {
  const folder = join(modelsFolder, 'cross-encoder');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), graph());
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
}

if (import.meta.main) await writeMadeUpCrossEncoder(resolve(process.argv[2] ?? '.'));
