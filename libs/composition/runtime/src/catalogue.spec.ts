import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { CATALOGUE } from './catalogue.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const PAGE = readFileSync(resolve(ROOT, 'docs/events.md'), 'utf8');

/** The words in backquotes, in their order. */
const names = (text: string): string[] => [...text.matchAll(/`(\w[\w-]*)`/g)].map(([, name = '']) => name);

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Rows of the tables in a part of the page, without their headers. */
const rowsOf = (part: string): string[][] =>
  part
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(cellsOf);

function partOf(heading: string): string {
  const [, part] = PAGE.split(`\n## ${heading}\n`);
  if (part === undefined) throw new Error(`docs/events.md has no section ${heading}`);
  return part.split('\n## ')[0] as string;
}

/** Event types by category, each with the fields of its payload; null: none. */
const documented = new Map(
  partOf('Event types')
    .split('\n### ')
    .slice(1)
    .flatMap((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const types = rowsOf(lines.join('\n')).map(
        ([type = '', payload = '']) => [names(type)[0] ?? '', payload === 'none' ? null : names(payload)] as const,
      );
      return names(heading).map((category) => [category, new Map(types)] as const);
    }),
);

/** Returns the type behind a name that is declared in the same file, and any other type as it is. */
function resolved(type: ts.TypeNode): ts.TypeNode {
  if (!ts.isTypeReferenceNode(type)) return type;
  const alias = type
    .getSourceFile()
    .statements.find((one) => ts.isTypeAliasDeclaration(one) && one.name.text === type.typeName.getText());
  return alias && ts.isTypeAliasDeclaration(alias) ? alias.type : type;
}

/** The fields of each payload as its type declares them: `EventOf<'Type', { … }>`. Null: none. */
function declaredPayloads(): Map<string, readonly string[] | null> {
  const payloads = new Map<string, readonly string[] | null>();
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isTypeReferenceNode(node) || node.typeName.getText() !== 'EventOf') return;
    const [type, argument] = node.typeArguments ?? [];
    if (!type || !argument || !ts.isLiteralTypeNode(type) || !ts.isStringLiteral(type.literal)) return;
    const payload = resolved(argument);
    const fields = ts.isTypeLiteralNode(payload)
      ? payload.members.map((member) => member.name?.getText() ?? '')
      : payload.getText() === 'null'
        ? null
        : undefined;
    if (fields === undefined) throw new Error(`the payload of ${type.literal.text} is no type literal`);
    payloads.set(type.literal.text, fields);
  };
  for (const path of globSync('libs/**/src/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(resolve(ROOT, path), 'utf8');
    if (text.includes('EventOf<')) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  }
  return payloads;
}

describe('docs/events.md', () => {
  test('has a row in its table of streams, and a section of event types, for every category', () => {
    const categories = Object.keys(CATALOGUE).sort();
    expect([...documented.keys()].sort()).toEqual(categories);
    const streams = rowsOf(partOf('Streams'));
    expect(streams.flatMap(([, category = '']) => names(category)).sort()).toEqual(categories);
    for (const [stream = '', category = ''] of streams) expect(stream).toContain(`\`${names(category)[0]}`);
  });

  test.each(Object.entries(CATALOGUE))('lists exactly the event types of the category %s', (category, types) => {
    expect([...(documented.get(category)?.keys() ?? [])].sort()).toEqual(Object.keys(types).sort());
  });

  const declared = declaredPayloads();
  test.each(
    Object.entries(CATALOGUE).flatMap(([category, types]) =>
      Object.entries(types).map(([type, { payload }]) => ({ category, type, payload })),
    ),
  )('names exactly the payload of $category $type', ({ category, type, payload }) => {
    const fields = documented.get(category)?.get(type);
    expect(fields).toEqual(declared.get(type));
    expect(fields !== null).toBe(payload);
  });

  test('lists what every event of a document is published with', () => {
    const published = rowsOf(partOf('The public feed')).map(([type = '']) => names(type)[0] ?? '');
    expect(published).toEqual(expect.arrayContaining(Object.keys(CATALOGUE.document)));
  });
});
