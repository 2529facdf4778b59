// Tables of up to five columns with sentences in them are marked: on a phone site.css shows each row as a block.
document.addEventListener('DOMContentLoaded', function () {
  document.querySelectorAll('table.docutils').forEach(function (table) {
    if (!table.tHead) return;
    var titles = Array.from(table.tHead.rows[0].cells);
    var cells = Array.from(table.querySelectorAll('tbody td:not(:first-child)'));
    var isProse = cells.some(function (cell) { return cell.textContent.length > 30; });
    if (titles.length < 3 || titles.length > 5 || !isProse) return;
    table.classList.add('stacked');
    cells.forEach(function (cell) {
      cell.dataset.title = titles[cell.cellIndex].textContent;
      cell.classList.toggle('blank', !cell.textContent.trim());
    });
  });
});

// A table that is wider than the page fades out on the side where it goes on, and a line above says so.
document.addEventListener('DOMContentLoaded', function () {
  document.querySelectorAll('.table-wrapper').forEach(function (box) {
    var hint = document.createElement('p');
    hint.className = 'scroll-hint';
    hint.textContent = 'The table goes on to the right: scroll it.';

    function show() {
      var hidden = box.scrollWidth - box.clientWidth;
      box.classList.toggle('more-right', hidden > 1 && box.scrollLeft < hidden - 1);
      box.classList.toggle('more-left', hidden > 1 && box.scrollLeft > 1);
      hint.hidden = hidden <= 1;
      // The keys scroll what can be reached by them.
      if (hidden > 1) box.tabIndex = 0; else box.removeAttribute('tabindex');
    }

    box.before(hint);
    box.addEventListener('scroll', show);
    window.addEventListener('resize', show);
    show();
  });
});

// Adds a field to each table inside of <div class="filterable">: rows that lack a typed word are hidden.
// With the class "by-column" each column with few different entries gets a menu, too.
document.addEventListener('DOMContentLoaded', function () {
  document.querySelectorAll('.filterable').forEach(function (box) {
    var table = box.querySelector('table');
    var rows = Array.from(table.tBodies[0].rows);
    var bar = document.createElement('div');
    var field = document.createElement('input');
    var count = document.createElement('output');
    var menus = [];
    bar.className = 'filter-bar';
    field.type = 'search';
    field.placeholder = 'Filter, such as conv or loss';
    field.setAttribute('aria-label', 'Filter the table');
    bar.append(field);

    function entry(row, column) {
      var cell = row.cells[column].cloneNode(true);
      cell.querySelectorAll('.tests').forEach(function (part) { part.remove(); });
      return cell.textContent.trim();
    }

    if (box.classList.contains('by-column')) {
      Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
        var entries = Array.from(new Set(rows.map(function (row) { return entry(row, column); })));
        if (entries.length < 2 || entries.length > 20) return;
        var menu = document.createElement('select');
        menu.setAttribute('aria-label', head.textContent);
        menu.append(new Option(head.textContent + ': all', ''));
        entries.forEach(function (text) { menu.append(new Option(head.textContent + ': ' + text, text)); });
        menus.push([column, menu]);
        bar.append(menu);
      });
    }

    function show() {
      var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        var fits = words.every(function (word) { return text.includes(word); }) &&
          menus.every(function (pair) { return !pair[1].value || entry(row, pair[0]) === pair[1].value; });
        row.hidden = !fits;
        shown += fits;
      });
      count.textContent = shown + ' of ' + rows.length;
    }

    bar.addEventListener('input', show);
    bar.append(count);
    box.prepend(bar);
    show();
  });
});
