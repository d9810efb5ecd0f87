/** Chapters of the OpenAPI document, in their order. */
export const SECTIONS = {
  Documents: 'Add content, read it, change it and erase it.',
  Conversations: 'Save chats, message by message.',
  Memories: 'Record statements, correct them, forget them and bring them back.',
  Search: 'Find documents, passages and memories by meaning and by words.',
  'Container tags': 'Groups of documents: of a user, a project, a topic.',
  Projects: 'Container tags with a name, for people.',
  Sources: 'Connect drives, buckets, sites and folders, whose items become documents.',
  Events: 'Follow what happens to documents.',
  Keys: 'Create, list, change and revoke API keys.',
  Sessions: 'Sign in and out, for browsers.',
  Team: 'Invite, list, change and remove the members of the organization.',
  Tools: 'The tool server of the Model Context Protocol, for agents.',
  Connections: 'Applications that people connect to the tools (OAuth).',
  Analytics: 'How much is requested, how long it takes, and what fails.',
  Audit: 'Who has done what.',
  Organizations: 'Create, suspend and delete organizations, with the key of the installation.',
  Settings: 'Settings of the organization.',
  Server: 'State and description of the server, and the rights of the key.',
} as const;

export type Section = keyof typeof SECTIONS;

const SECTION_OF = new WeakMap<object, Section>();

/** Names the chapter of a controller's routes. */
export const InSection =
  (section: Section): ClassDecorator =>
  (controller) => {
    SECTION_OF.set(controller, section);
  };

export const sectionOf = (controller: object): Section | undefined => SECTION_OF.get(controller);
