import './mantine.css';
import '@mantine/notifications/styles.css';
import './style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { resumeSession } from './session/session.ts';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
void resumeSession();
