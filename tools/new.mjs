// `npm run new KIND NAME`: writes the files of a part that the architecture has a place for, and its line in the list that
// names it. What it writes compiles and passes its test; see KINDS.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

const pascal = (name) => name.replace(/(^|-)(.)/g, (_, __, letter) => letter.toUpperCase());
const camel = (name) => pascal(name).replace(/^./, (letter) => letter.toLowerCase());
const constant = (name) => name.toUpperCase().replaceAll('-', '_');

/** The parts, each with the form of its name. `write` returns new files, edits of lists, and what is left to do. */
const KINDS = {
  command: { form: 'FEATURE/NAME', write: (name) => useCase(name, 'command') },
  query: { form: 'FEATURE/NAME', write: (name) => useCase(name, 'query') },
  'read-model': { form: 'NAME', write: readModel },
  extractor: { form: 'NAME', write: extractor },
  decision: { form: '"TITLE"', write: decision },
};

const [kind, name] = process.argv.slice(2);
if (!Object.hasOwn(KINDS, kind ?? '') || name === undefined) {
  const forms = Object.entries(KINDS).map(([one, { form }]) => `  npm run new ${one} ${form}`);
  fail(`Give a kind and a name:\n${forms.join('\n')}`);
}
const { files, edits = [], next } = KINDS[kind].write(name);
for (const path of Object.keys(files)) if (existsSync(join(root, path))) fail(`${path} exists already.`);
for (const [path, edit] of edits) change(path, edit);
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(`new      ${path}`);
}
for (const line of next) console.log(line);
console.log('Then: npm run format && npm run quick');

function useCase(path, form) {
  const [feature, folder] = path.split('/');
  if (folder === undefined) fail('Give FEATURE/NAME, e.g. documents/pin-document.');
  const src = `libs/features/${feature}/use-cases/src`;
  if (!existsSync(join(root, src))) fail(`${src} does not exist.`);
  const type = pascal(folder);
  const Base = pascal(form);
  const file = `./${folder}/${folder}.${form}.ts`;
  const handler = `./${folder}/${folder}.handler.ts`;
  const module = readdirSync(join(root, src)).find((one) => one.endsWith('.module.ts'));
  const edits = [
    [`${src}/${module}`, withLine(/^import .*;$/gm, `import { ${type}Handler } from '${handler}';`)],
    [`${src}/${module}`, withLine(/^ {8}\w+,$/gm, `        ${type}Handler,`)],
    [`${src}/index.ts`, withLine(/^export .*;$/gm, `export { ${type} } from '${file}';`)],
  ];
  const files = {
    [`${src}/${folder}/${folder}.${form}.ts`]: `import { ${Base} } from '@nestjs/cqrs';
import type { Principal, Result } from '#platform/kernel';

export class ${type} extends ${Base}<Result<void, 'not_found'>> {
  constructor(
    readonly principal: Principal,
    readonly id: string,
  ) {
    super();
  }
}
`,
    [`${src}/${folder}/${folder}.handler.ts`]: `import { ${Base}Handler, type I${Base}Handler } from '@nestjs/cqrs';
import { err, type Result } from '#platform/kernel';
import { ${type} } from './${folder}.${form}.ts';

@${Base}Handler(${type})
export class ${type}Handler implements I${Base}Handler<${type}> {
  async execute(_: ${type}): Promise<Result<void, 'not_found'>> {
    return err('not_found');
  }
}
`,
    [`${src}/${folder}/${folder}.handler.spec.ts`]: `import { err, type OrganizationId, type Principal } from '#platform/kernel';
import { ${type} } from './${folder}.${form}.ts';
import { ${type}Handler } from './${folder}.handler.ts';

const PRINCIPAL: Principal = {
  ...{ organization: 'org' as OrganizationId, keyId: 'k', role: 'member', tags: 'all', writableTags: 'all' },
};

test('an unknown id is refused', async () => {
  const ${form} = new ${type}(PRINCIPAL, 'unknown');
  expect(await new ${type}Handler().execute(${form})).toEqual(err('not_found'));
});
`,
  };
  return {
    files,
    edits,
    next: [`next     a method of a controller in apps/server/src/http/${feature}, then npm run openapi`],
  };
}

function readModel(model) {
  const folder = 'libs/read-side/projections/src/read-models';
  const list = `${folder}/index.ts`;
  const inList = /(READ_MODELS: readonly ReadModel\[\] = \[[^\]]*?),?\s*\]/;
  const edits = [
    [list, withLine(/^import .*;$/gm, `import { ${constant(model)} } from './${model}.ts';`)],
    [list, (text) => text.replace(inList, `$1, ${constant(model)}]`)],
  ];
  const files = {
    [`${folder}/${model}.ts`]: `import type { ReadModel } from '../read-model.ts';
import { eventModel } from '../row-models.ts';

/** A row for each document that was added. */
export const ${constant(model)}: ReadModel = eventModel({
  name: '${model.replaceAll('-', '_')}',
  version: 1,
  columns: { at: 'text' },
  types: ['DocumentAdded'],
  rowsOf: ({ envelope: { at } }) => [{ at }],
});
`,
  };
  return { files, edits, next: ['next     its events, columns and rows (docs/architecture.md#read-models)'] };
}

function extractor(format) {
  const folder = 'libs/processing/extraction/src/extractors';
  const list = `${folder}/registry.ts`;
  const inList = /(EXTRACTORS: readonly Extractor\[\] = \[\n {2}\.\.\.\[[^\]]*)\]/;
  const edits = [
    [list, withLine(/^import .*;$/gm, `import { ${camel(format)} } from './${format}.extractor.ts';`)],
    [list, (text) => text.replace(inList, `$1, ${camel(format)}]`)],
  ];
  const files = {
    [`${folder}/${format}.extractor.ts`]: `import { COMMON_LIMITS, type Extractor } from './extractor.ts';

export const ${camel(format)}: Extractor = {
  kind: '${format}',
  reads: 'text',
  limits: COMMON_LIMITS,
  extensions: ['${format}'],
  mediaTypes: [],
  fileTypes: [],
  toText: (text) => ({ text, title: null }),
};
`,
  };
  return { files, edits, next: ['next     media types, a test with a file, and a row in docs/extraction.md#kinds'] };
}

function decision(title) {
  const folder = 'docs/decisions';
  const numbers = readdirSync(join(root, folder)).flatMap((file) => /^(\d{4})-/.exec(file)?.[1] ?? []);
  const number = String(Math.max(...numbers.map(Number)) + 1).padStart(4, '0');
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const files = {
    [`${folder}/${number}-${slug}.md`]: `# ${number}. ${title}

**Question.** What made a decision necessary, with figures?

**Decision.** What holds from now on.

**Considered.** What else was tried or thought of, and why not.
`,
  };
  const line = `| [${number}](${number}-${slug}.md) | ${title} | in force |`;
  return { files, next: [`next     a line under its area in ${folder}/README.md: ${line}`] };
}

/** Inserts a line after the last one that matches. `npm run format` sorts it. */
function withLine(pattern, line) {
  return (text) => {
    const last = [...text.matchAll(pattern)].at(-1);
    if (last === undefined) return text;
    const end = last.index + last[0].length;
    return `${text.slice(0, end)}\n${line}${text.slice(end)}`;
  };
}

function change(path, edit) {
  const text = readFileSync(join(root, path), 'utf8');
  const changed = edit(text);
  if (changed === text) fail(`${path} does not have the list that was expected.`);
  writeFileSync(join(root, path), changed);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
