export { ApplicationModule } from './application.module.ts';
