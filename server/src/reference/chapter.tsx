/** @jsxImportSource preact */
import { Members, relationshipsOf } from './members.tsx';
import { OperationSection } from './operation.tsx';
import { Prose } from './prose.tsx';
import type { Chapter, NamedSchema } from './read-document.ts';
import { paintJson, Sample } from './sample.tsx';

export interface ChapterProperties {
  readonly chapter: Chapter;
  readonly server: string;
  readonly meanings: ReadonlyMap<string, string>;
  /** The names of the objects that the page tells, to which members may lead. */
  readonly objects: ReadonlySet<string>;
}

/** One tag: what its objects are, then what can be done with them. */
export function ChapterSection({ chapter, server, meanings, objects }: ChapterProperties) {
  return (
    <section class="chapter" id={chapter.slug}>
      <h2>
        <a href={`#${chapter.slug}`}>{chapter.name}</a>
      </h2>
      {chapter.description && <p class="lead">{chapter.description}</p>}
      {chapter.objects.map((object) => (
        <ObjectSection key={object.name} object={object} objects={objects} />
      ))}
      {chapter.operations.map((told) => (
        <OperationSection key={told.name} told={told} server={server} meanings={meanings} />
      ))}
    </section>
  );
}

function ObjectSection({ object, objects }: { object: NamedSchema; objects: ReadonlySet<string> }) {
  const { name, schema } = object;
  const relationships = relationshipsOf(schema);
  const example = schema.examples?.[0];
  return (
    <section class="object" id={name}>
      <div class="said">
        <h3>
          <a href={`#${name}`}>{titleOf(name)}</a>
        </h3>
        {schema.description && (
          <p>
            <Prose text={schema.description} />
          </p>
        )}
        {relationships.length > 0 && (
          <p class="shared">
            <a href="#envelopes">Relationships</a>:{' '}
            {relationships.map(({ name: relation, target, isMany }, index) => (
              <>
                {index > 0 && ', '}
                <code>{relation}</code> {isMany ? 'list of ' : ''}
                {objects.has(target) ? <a href={`#${target}`}>{target}</a> : target}
              </>
            ))}
          </p>
        )}
        <h4>Members</h4>
        <Members schema={schema} marksRequired={false} />
      </div>
      <div class="samples">{example !== undefined && <Sample title={name} html={paintJson(example)} />}</div>
    </section>
  );
}

/** `RoomToken` in words: The room token. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `The ${words
    .replace(/ self$/, ' as the caller')
    .replace(/^o auth/, 'OAuth')
    .replace(/ object$/, '')}`;
}
