import '../../kit/theme/mantine.css';
import '@mantine/notifications/styles.css';
import '../../kit/theme/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { resumeSession } from '../../kit/api/session.ts';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
void resumeSession();
