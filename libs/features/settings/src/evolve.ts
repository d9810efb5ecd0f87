import type { ErasedEvent, Recorded } from '#platform/kernel';
import type { SecretEvent, SettingsEvent } from './events.ts';
import { initialSettings, type SecretState, type SettingsState } from './state.ts';

export function evolveSettings(state: SettingsState, event: Recorded<SettingsEvent> | ErasedEvent): SettingsState {
  switch (event.type) {
    case 'SettingsChanged': {
      const { profileBucketsAdded = [], ...changes } = event.payload;
      const settings = { ...state.settings, ...changes };
      const profileBuckets = settings.profileBuckets && [...settings.profileBuckets, ...profileBucketsAdded];
      return { ...state, settings: { ...settings, profileBuckets } };
    }
    case 'SettingsReset':
      return { ...initialSettings, wasReset: true };
    case 'erased':
      return state;
  }
}

export function evolveSecret(state: SecretState, event: Recorded<SecretEvent> | ErasedEvent): SecretState {
  switch (event.type) {
    case 'SecretSet':
      return { status: 'set' };
    case 'SecretErased':
      return { status: 'erased' };
    case 'erased':
      return state;
  }
}
