export { keepSettings, type SettingsInMemory } from './settings-in-memory.ts';
