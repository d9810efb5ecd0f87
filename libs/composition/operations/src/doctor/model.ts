import { DEFAULT_GROUP, LANGUAGES_GROUP, servingSpace } from '#features/vector-spaces';
import { findModel, inspectModel, MODELS, modelFolder } from '#ports/models';
import { type Check, type DoctorContext, logOf, ok, warning } from './check.ts';

export const model: Check = {
  name: 'model',
  about: 'Makes the vectors by which searches find texts by meaning.',
  async run(context) {
    const { config, server } = context;
    if (config.embedding === 'off') return ok('switched off: search by words alone');
    const status = server?.embedders.of(DEFAULT_GROUP).status();
    if (status?.state === 'ready') return ok(`${status.space.name} is ready${otherLanguages(context)}`);
    if (status !== undefined) {
      const detail = status.state === 'unavailable' ? `unavailable: ${status.reason}` : status.state;
      const advice = 'Search is by words alone until the model is ready. Install it: mneme models install';
      return warning(detail, advice);
    }
    const entry = findModel(await servingSpace(logOf(context), DEFAULT_GROUP)) ?? MODELS[0];
    const files = await inspectModel(modelFolder(config.dataFolder, entry), entry);
    const missing = files.filter(({ checksumOk }) => !checksumOk).map(({ name }) => name);
    if (missing.length === 0) return ok(`${entry.name} is installed`);
    const detail = `${entry.name}: ${missing.join(', ')} missing or damaged`;
    const advice =
      entry.advice ?? `Install it: mneme models install ${entry.name}. A server also fetches it when it starts.`;
    return warning(detail, advice);
  },
};

/** The model for other languages is fetched and loaded only while texts need it. */
function otherLanguages({ server }: DoctorContext): string {
  const languages = server?.embedders.of(LANGUAGES_GROUP).serving;
  const status = languages?.embedder.status();
  if (languages === undefined || status === undefined || status.state === 'off') return '; other languages: the same';
  const detail = status.state === 'unavailable' ? `unavailable: ${status.reason}` : status.state;
  return `; other languages: ${languages.name}, ${detail}`;
}
