import { contentHash, foldWith, ok, type Result } from '#platform/kernel';
import { type Cause, type CommandHandler, Generations, record } from '#ports/event-store';
import type { Secrets } from '#ports/secrets';
import { decideSettings, secretErased, settingsReset } from './decide.ts';
import { SECRET_EVENTS, SETTINGS_EVENTS } from './events.ts';
import { evolveSecret, evolveSettings } from './evolve.ts';
import {
  initialSecret,
  initialSettings,
  SECRET_NAMES,
  SETTINGS_VERSION,
  type SecretName,
  type SecretState,
  type Settings,
  type SettingsState,
} from './state.ts';

/** What keeps the values of secrets. */
export type SecretValues = Pick<Secrets, 'ready' | 'get' | 'put' | 'delete'>;

const settingsStream = (organization: string): string => `settings-${organization}`;
const secretStream = (organization: string, name: SecretName): string => `secret-${contentHash(organization, name)}`;

/** The settings of organizations, and their secrets. They belong to no tag: callers check that the key is a full one. */
export class SettingsRepository {
  readonly #settings: Generations<SettingsState>;
  readonly #secrets: Generations<SecretState>;
  readonly #values: SecretValues;

  constructor(handler: CommandHandler, values: SecretValues) {
    this.#values = values;
    this.#settings = new Generations({
      handler,
      model: {
        ...{ name: 'settings', version: SETTINGS_VERSION, initialState: initialSettings },
        evolve: foldWith(SETTINGS_EVENTS, evolveSettings),
      },
      hasEnded: ({ wasReset }) => wasReset,
    });
    this.#secrets = new Generations({
      handler,
      model: {
        ...{ name: 'secret', version: 1, initialState: initialSecret },
        evolve: foldWith(SECRET_EVENTS, evolveSecret),
      },
      hasEnded: ({ status }) => status === 'erased',
    });
  }

  async load(organization: string): Promise<Settings> {
    return (await this.#settings.load(settingsStream(organization))).settings;
  }

  /** The names of the secrets that are set. */
  async secrets(organization: string): Promise<readonly SecretName[]> {
    const states = await Promise.all(SECRET_NAMES.map((name) => this.#secrets.load(secretStream(organization, name))));
    return SECRET_NAMES.filter((_, index) => states[index]?.status === 'set');
  }

  async change(
    organization: string,
    cause: Cause,
    changes: Partial<Settings>,
  ): Promise<Result<Settings, 'filter_off'>> {
    const changed = await this.#settings.execute(
      settingsStream(organization),
      { organization, cause },
      (state, now) => {
        const events = decideSettings(state, changes);
        return events.ok ? ok(record(SETTINGS_EVENTS, events.value, { organization, cause, tags: [], now })) : events;
      },
    );
    return changed.ok ? ok(changed.value.state.settings) : changed;
  }

  /** @throws MasterKeyMissingError if no secret could be set */
  async assertKeepsSecrets(): Promise<void> {
    await this.#values.ready();
  }

  /** Overwrites the former value and records that there is a new one. @param value null: none */
  async setSecret(organization: string, name: SecretName, value: string | null, cause: Cause): Promise<void> {
    const stream = secretStream(organization, name);
    const kept = { organization, name: `settings/${name}` };
    const { status } = await this.#secrets.load(stream);
    // A value that cannot be read is set again.
    if (status === 'set' && value !== null && (await this.#values.get(kept).catch(() => null)) === value) return;
    // Before the record: whoever hears of no success sends the request again.
    await (value === null ? this.#values.delete(kept) : this.#values.put(kept, value));
    const recording = { organization, cause, tags: [] };
    await this.#secrets.erase(stream, (now) => record(SECRET_EVENTS, [secretErased], { ...recording, now }));
    if (value === null) return;
    await this.#secrets.execute<never>(stream, { organization, cause }, (_, now) =>
      ok(record(SECRET_EVENTS, [{ type: 'SecretSet', payload: null }], { ...recording, now })),
    );
  }

  /** Erases all settings and secrets of an organization. */
  async reset(organization: string, cause: Cause): Promise<void> {
    await this.#settings.erase(settingsStream(organization), (now) =>
      record(SETTINGS_EVENTS, [settingsReset], { organization, cause, tags: [], now }),
    );
    for (const name of SECRET_NAMES) await this.setSecret(organization, name, null, cause);
  }
}
