import type { Caller, Services } from './caller.ts';
import { profileText, readProfile } from './profile-text.ts';
import { MOST_SPACES, tagsOf } from './spaces.ts';
import { paragraphs, STORED, section } from './stored-text.ts';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** Read by older clients, which know it without a list. */
  readonly isFormer?: true;
  read(services: Services, caller: Caller): Promise<string>;
}

/** In the order in which clients list them. */
const ALL: readonly Resource[] = [
  {
    uri: 'supermemory://profile',
    name: 'profile',
    title: 'Profile',
    description: 'Lasting facts and recent activity of the usual space.',
    mimeType: 'text/plain',
    async read(services, caller) {
      const text = profileText(await readProfile(services, caller, {}));
      return text === '' ? 'Nothing is known yet.' : paragraphs(STORED, text);
    },
  },
  {
    uri: 'supermemory://spaces',
    name: 'spaces',
    title: 'Spaces',
    description: 'The spaces (container tags) that can be read.',
    mimeType: 'text/plain',
    async read(services, caller) {
      const tags = (await tagsOf(services, caller)).slice(0, MOST_SPACES);
      return tags.length === 0 ? 'No spaces.' : paragraphs(STORED, section('Spaces', tags));
    },
  },
  {
    uri: 'supermemory://projects',
    name: 'projects',
    title: 'Projects',
    description: 'The spaces as a list of tags.',
    mimeType: 'application/json',
    isFormer: true,
    read: async (services, caller) =>
      JSON.stringify({ projects: (await tagsOf(services, caller)).slice(0, MOST_SPACES) }),
  },
];

export const LISTED_RESOURCES = ALL.filter(({ isFormer }) => isFormer === undefined).map(
  ({ uri, name, title, description, mimeType }) => ({ uri, name, title, description, mimeType }),
);

export const resourceOf = (uri: string): Resource | undefined => ALL.find((one) => one.uri === uri);
