import './mails.css';
import { Code, SegmentedControl } from '@mantine/core';
import { IconLock, IconMailOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Placeholder } from '../../../kit/display/notices/notices.tsx';
import { Panel } from '../../../kit/display/page-header.tsx';
import type { MailRow } from '../nouns/rows.ts';

/** The mail as its recipient would see it, and its plain text. */
export function MailPreview({ mail }: { readonly mail: MailRow }) {
  const [format, setFormat] = useState<'html' | 'text'>('html');
  if (mail.html === null || mail.text === null) return <NoContents isKept={mail.state === 'kept'} />;
  return (
    <Panel
      flush
      title="Content"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Format of the mail"
          value={format}
          data={[
            { value: 'html', label: 'Preview' },
            { value: 'text', label: 'Plain text' },
          ]}
          onChange={(next) => setFormat(next === 'text' ? 'text' : 'html')}
        />
      }
    >
      {format === 'html' ? (
        <iframe
          className="mail-frame"
          title={`Preview of “${mail.subject}”`}
          // No scripts and no access to the console; links open in a new tab.
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={withLinksInNewTab(mail.html)}
        />
      ) : (
        <Code block className="mail-text" tabIndex={0} aria-label="Plain text">
          {mail.text}
        </Code>
      )}
    </Panel>
  );
}

function withLinksInNewTab(html: string): string {
  return html.replace('<head>', '<head><base target="_blank">');
}

function NoContents({ isKept }: { readonly isKept: boolean }) {
  return (
    <Panel title="Content">
      {isKept ? (
        <Placeholder title="Only for administrators with full access" icon={<IconLock stroke={1.4} />}>
          Mails contain secret links.
        </Placeholder>
      ) : (
        <Placeholder title="The content is not shown" icon={<IconMailOff stroke={1.4} />}>
          It may contain secret links, so it is encrypted until the mail is sent, and erased afterwards.
        </Placeholder>
      )}
    </Panel>
  );
}
