import { err, ok, type Result, splitList } from '#platform/kernel';
import type { SecretEvent, SettingsChanged, SettingsEvent } from './events.ts';
import type { Settings, SettingsState } from './state.ts';

/** Bytes of JSON of the part of a list that one event holds. */
const LIST_BYTES = 40_000;

/** What has no meaning without the filter. */
const OF_FILTER = ['filterPrompt', 'includeItems', 'excludeItems'] as const;

/** `filter_off`: a setting of the filter is sent, and `shouldLLMFilter` is neither stored nor sent as true. */
export function decideSettings(
  { settings }: SettingsState,
  changes: Partial<Settings>,
): Result<readonly SettingsChanged[], 'filter_off'> {
  const isFiltering = (changes.shouldLLMFilter === undefined ? settings : changes).shouldLLMFilter === true;
  if (!isFiltering && OF_FILTER.some((name) => (changes[name] ?? null) !== null)) return err('filter_off');
  const changed = Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(settings[name as keyof Settings]),
    ),
  ) as Partial<Settings>;
  if (Object.keys(changed).length === 0) return ok([]);
  const { profileBuckets, ...single } = changed;
  const event = (payload: SettingsChanged['payload']): SettingsChanged => ({ type: 'SettingsChanged', payload });
  const events = Object.keys(single).length === 0 ? [] : [event(single)];
  if (profileBuckets === null) events.push(event({ profileBuckets: null }));
  else if (profileBuckets !== undefined) {
    const [first = [], ...rest] = splitList(profileBuckets, LIST_BYTES);
    events.push(event({ profileBuckets: first }));
    for (const profileBucketsAdded of rest) events.push(event({ profileBucketsAdded }));
  }
  return ok(events);
}

export const settingsReset: SettingsEvent = { type: 'SettingsReset', payload: null };

export const secretErased: SecretEvent = { type: 'SecretErased', payload: null };
