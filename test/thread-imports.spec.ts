import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Threads and child processes load TypeScript directly in tests, and must stay small: no Nest, no decorators. */

const ROOT = resolve(import.meta.dirname, '..');
const ENTRIES = globSync('{apps,libs}/**/*.{worker,child}.ts', { cwd: ROOT });

interface ParsedFile {
  /** Module names of imports that are left when types are erased. */
  readonly imports: readonly string[];
  readonly hasDecorator: boolean;
}

function parse(path: string): ParsedFile {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const imports: string[] = [];
  let hasDecorator = false;
  const visit = (node: ts.Node): void => {
    if (ts.canHaveDecorators(node) && (ts.getDecorators(node)?.length ?? 0) > 0) hasDecorator = true;
    const name = importedModule(node);
    if (name !== null) imports.push(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { imports, hasDecorator };
}

function importedModule(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node)) return isTypeOnly(node.importClause) ? null : textOf(node.moduleSpecifier);
  if (ts.isExportDeclaration(node)) {
    const { exportClause, moduleSpecifier, isTypeOnly: isType } = node;
    const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [];
    return isType || (named.length > 0 && named.every((one) => one.isTypeOnly)) ? null : textOf(moduleSpecifier);
  }
  return null;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const bindings = clause.namedBindings;
  if (clause.name !== undefined || bindings === undefined || !ts.isNamedImports(bindings)) return false;
  return bindings.elements.length > 0 && bindings.elements.every((one) => one.isTypeOnly);
}

const textOf = (node: ts.Expression | undefined): string | null =>
  node !== undefined && ts.isStringLiteral(node) ? node.text : null;

function fileOf(module: string, importer: string): string | null {
  if (module.startsWith('#')) return join(ROOT, 'libs', module.slice(1), 'src', 'index.ts');
  return module.startsWith('.') ? resolve(dirname(importer), module) : null;
}

/** @returns the offending files with their chain of imports */
function offences(entry: string): readonly string[] {
  const found: string[] = [];
  const chains = new Map([[join(ROOT, entry), entry]]);
  for (const [path, chain] of chains) {
    const { imports, hasDecorator } = parse(path);
    if (hasDecorator) found.push(`${chain}: a decorator`);
    for (const name of imports) {
      if (name.startsWith('@nestjs/')) found.push(`${chain}: ${name}`);
      const file = fileOf(name, path);
      if (file !== null && !chains.has(file)) chains.set(file, `${chain} → ${relative(ROOT, file)}`);
    }
  }
  return found;
}

test('there are threads and child processes to check', () => {
  expect(ENTRIES.length).toBeGreaterThan(5);
});

test.each(ENTRIES)('%s reaches no Nest and no decorator', (entry) => {
  expect(offences(entry)).toEqual([]);
});
