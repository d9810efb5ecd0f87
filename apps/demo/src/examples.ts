import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

export interface Example {
  readonly name: string;
  /** `text`: in a JSON body. `upload`: as a multipart file. */
  readonly way: 'text' | 'upload';
  /** The title in results. */
  readonly title: string;
  readonly customId: string;
  readonly containerTag: string;
  readonly documentDate?: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'trip-planning.chat.txt',
    way: 'text',
    title: 'Trip planning: three weeks in Portugal',
    customId: 'portugal-2025',
    containerTag: 'friends',
    documentDate: '2025-04-04',
    metadata: { kind: 'chat', year: 2025 },
  },
  {
    name: 'handbook.md',
    way: 'upload',
    title: 'handbook.md',
    customId: 'handbook',
    containerTag: 'workshop',
    metadata: { kind: 'manual', year: 2024 },
  },
  {
    name: 'field-notes.txt',
    way: 'upload',
    title: 'field-notes.txt',
    customId: 'harrow-point',
    containerTag: 'marsh',
    documentDate: '2024-09-10',
    metadata: { kind: 'notes', year: 2024 },
  },
  {
    name: 'support-thread.json',
    way: 'upload',
    title: 'support-thread.json',
    customId: 'greenhouse',
    containerTag: 'greenhouse',
    documentDate: '2025-06-19',
    metadata: { kind: 'chat', year: 2025 },
  },
];

const root = dirname(findPackageJSON('.', import.meta.url) as string);

export const pathOf = ({ name }: Example): string => join(root, 'examples', name);
