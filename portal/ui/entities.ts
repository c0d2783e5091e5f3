/** The names of characters that Markdown may hold, such as &amp;, under the name that its reader asks for. */
export { characterEntitiesHtml4 as characterEntities } from "character-entities-html4";
