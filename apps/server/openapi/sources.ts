import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { JsonObject } from '#platform/kernel';

/** A field of a class, as its source declares it. */
export interface SourceField {
  readonly description: string | null;
  readonly isOptional: boolean;
  readonly type: ts.TypeNode | null;
}

export interface SourceClass {
  readonly description: string | null;
  readonly parent: string | null;
  readonly fields: ReadonlyMap<string, SourceField>;
}

export interface SourceAlias {
  /** Description and JSON Schema keywords from the doc comment. */
  readonly keywords: JsonObject;
  readonly type: ts.TypeNode;
}

/** Classes and type aliases by name. */
export interface Sources {
  readonly classes: ReadonlyMap<string, SourceClass>;
  readonly aliases: ReadonlyMap<string, SourceAlias>;
}

/** Reads the TypeScript files of requests and answers below folders, without resolving imports. */
export function readSources(folders: readonly string[]): Sources {
  const classes = new Map<string, SourceClass>();
  const aliases = new Map<string, SourceAlias>();
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((file) => join(folder, file)),
  );
  for (const file of files) {
    if (!/\.(input|dto|responses)\.ts$|scalars\.ts$|status-words\.ts$/.test(file)) continue;
    const text = readFileSync(file, 'utf8');
    for (const node of ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true).statements) {
      if (ts.isClassDeclaration(node) && node.name !== undefined) classes.set(node.name.text, readClass(node));
      if (ts.isTypeAliasDeclaration(node)) aliases.set(node.name.text, { keywords: keywordsOf(node), type: node.type });
    }
  }
  return { classes, aliases };
}

function readClass(node: ts.ClassDeclaration): SourceClass {
  const parent = node.heritageClauses?.[0]?.types[0]?.expression;
  const fields = new Map<string, SourceField>();
  for (const member of node.members) {
    if (!ts.isPropertyDeclaration(member)) continue;
    fields.set(member.name.getText(), {
      description: descriptionOf(member),
      isOptional: member.questionToken !== undefined,
      type: member.type ?? null,
    });
  }
  return { description: descriptionOf(node), parent: parent?.getText() ?? null, fields };
}

function descriptionOf(node: ts.Node): string | null {
  // The last one: the first class of a file also has the comment of the file.
  const comment = ts.getJSDocCommentsAndTags(node).findLast(ts.isJSDoc)?.comment;
  const text = ts.getTextOfJSDocComment(comment);
  return text === undefined ? null : text.replaceAll(/\s*\n\s*/g, ' ');
}

/** Reads `@minimum 0`, `@format date-time` and the like; `@asType` is the keyword `type`. */
function keywordsOf(node: ts.Node): JsonObject {
  const description = descriptionOf(node);
  const tags = ts.getJSDocTags(node).map((tag) => {
    const text = ts.getTextOfJSDocComment(tag.comment) ?? '';
    const name = tag.tagName.text === 'asType' ? 'type' : tag.tagName.text;
    return [name, Number.isNaN(Number(text)) ? text : Number(text)] as const;
  });
  return { ...(description === null ? {} : { description }), ...Object.fromEntries(tags) };
}
