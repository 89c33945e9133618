import './own-account.css';
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A section with its title and description beside it. */
export function Section(props: {
  readonly title: string;
  readonly summary: ReactNode;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
}) {
  return (
    <section className="section" aria-label={props.title}>
      <header>
        <Title order={2}>{props.title}</Title>
        <Text c="dimmed" fz="sm" mt={4} component="div">
          {props.summary}
        </Text>
      </header>
      <div>
        <div className="panel">
          {props.children}
          {props.foot && <div className="section-foot">{props.foot}</div>}
        </div>
      </div>
    </section>
  );
}
