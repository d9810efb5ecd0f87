import { findModel, inspectModel, MODELS, modelFolder } from '#models';
import { DEFAULT_GROUP, servingSpace } from '#vector-spaces';
import { type Check, logOf, ok } from './check.ts';

export const model: Check = {
  name: 'model',
  async run(context) {
    const { config, server } = context;
    if (config.embedding === 'off') return ok('model', 'switched off: search by words alone');
    const status = server?.embedders.of(DEFAULT_GROUP).status();
    if (status?.state === 'ready') return ok('model', `${status.space.name} is ready`);
    if (status !== undefined) {
      const detail = status.state === 'unavailable' ? `unavailable: ${status.reason}` : status.state;
      const advice = 'Search goes by words alone meanwhile. mneme models install';
      return { name: 'model', state: 'warning', detail, advice };
    }
    const entry = findModel(await servingSpace(logOf(context), DEFAULT_GROUP)) ?? MODELS[0];
    const files = await inspectModel(modelFolder(config.dataFolder, entry), entry);
    const missing = files.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
    if (missing.length === 0) return ok('model', `${entry.name} is installed`);
    const detail = `${entry.name}: ${missing.join(', ')} missing or damaged`;
    const advice = 'mneme models install; a server fetches it by itself too.';
    return { name: 'model', state: 'warning', detail, advice };
  },
};
