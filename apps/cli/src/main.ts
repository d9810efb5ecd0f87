import { Command } from 'commander';
import { ConfigError, loadConfig, readEnvironment } from '#config';
import { installModels, listModels } from './models.ts';

/** Where the settings of the server say that things are; `--data` counts more. */
function places(options: { readonly data?: string }): {
  readonly dataFolder: string;
  readonly modelsFolder: string | null;
} {
  const { dataFolder, modelsFolder } = loadConfig(readEnvironment()).config;
  return { dataFolder: options.data ?? dataFolder, modelsFolder };
}

const program = new Command('mneme').description('Looks after a Mneme server and its data folder');
const models = program.command('models').description('The models that embed texts');

models
  .command('install')
  .description('get the model now, instead of at the first start of the server')
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (options: { data?: string }) => {
    process.exitCode = await installModels(places(options), process.stdout, process.stderr);
  });

models
  .command('list')
  .description('say which model files are there, and whether they are whole')
  .option('--data <folder>', 'data folder (default: MNEME_DATA, or ./data)')
  .action(async (options: { data?: string }) => {
    process.exitCode = await listModels(places(options), process.stdout);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
