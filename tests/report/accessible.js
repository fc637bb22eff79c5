// What hinders people who see little or use keys alone, as axe-core has it under "serious", in the page as it is shown.
(() => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let node = element; node; node = node.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(node).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility() || element.closest("svg")) continue;
    const style = getComputedStyle(element);
    if ([...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
      const [one, two] = [light(numbers(style.color)), light(behind(element))].sort((a, b) => b - a);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if ((one + 0.05) / (two + 0.05) < (large ? 3 : 4.5)) say("contrast", element);
    }
    const scrolls = ["auto", "scroll"].includes(style.overflowX) && element.scrollWidth > element.clientWidth;
    if (scrolls && element.tabIndex < 0) say("out of reach of keys", element);
    if (element.matches("p a") && !style.textDecorationLine.includes("underline")) say("link told by colour", element);
    if (element.matches("th") && !element.textContent.trim()) say("head without a word", element);
    if (element.matches("input, select") && !element.labels.length) say("no label", element);
    if (element.matches("a, button, summary") && !element.textContent.trim()) say("no name", element);
  }
  for (const svg of document.querySelectorAll("svg")) {
    if (!svg.ariaHidden && !(svg.role === "img" && svg.querySelector("title")?.textContent)) say("no name", svg);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size < ids.length) found.push("an id twice");
  if (!document.documentElement.lang || !document.title) found.push("no language or no title");
  return found;
})();
