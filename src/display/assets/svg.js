// Elements of drawings.

const SVG = 'http://www.w3.org/2000/svg';

export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A piece of text in a drawing. */
export function label(words, attributes) {
  const made = make('text', attributes);
  made.textContent = words;
  return made;
}
