import type { Command } from 'commander';
import type { JsonObject, TagPermission } from '#platform/kernel';
import { plain } from './output.ts';

/** The tags of a key or of a person. */
export interface TagOptions {
  readonly tag?: readonly string[];
  readonly readTag?: readonly string[];
}

const collect = (tag: string, former: readonly string[] = []): readonly string[] => [...former, tag];

export const withTags = (command: Command): Command =>
  command
    .option('--tag <tag>', 'only this tag is reached; may be repeated', collect)
    .option('--read-tag <tag>', 'this tag may also be read; may be repeated', collect);

export const tagsOf = ({ tag = [], readTag = [] }: TagOptions): { containerTag: string; permission: string }[] => [
  ...tag.map((containerTag) => ({ containerTag, permission: 'write' })),
  ...readTag.map((containerTag) => ({ containerTag, permission: 'read' })),
];

/** The tags of a line; empty: all of them. */
export function tagsText({ containerTags }: JsonObject): string {
  const tags = (containerTags as readonly TagPermission[] | null) ?? [];
  return tags.map(({ containerTag, permission }) => `${plain(containerTag)} (${permission})`).join(', ');
}
