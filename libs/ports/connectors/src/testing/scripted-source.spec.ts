import { SourceLostError } from '../errors.ts';
import { sourceContract } from '../source.contract.ts';
import { ScriptedSource } from './scripted-source.ts';

describe('ScriptedSource', () => {
  sourceContract(async () => {
    const source = new ScriptedSource();
    const setup = { connection: 'c', organization: 'o', setup: {} };
    return {
      open: () => source.connector().open({ ...setup, secrets: { get: async () => null, put: async () => {} } }),
      put: async (name, text) => source.put(name, text),
      remove: async (name) => void source.items.delete(name),
      lose: async () => {
        source.beforePage = () => {
          throw new SourceLostError('it is not there');
        };
      },
      close: async () => {},
    };
  });
});
