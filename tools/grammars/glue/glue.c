// What a module of a grammar exports: a source goes in, its syntax tree comes out as one flat
// list in preorder. A module imports one function, which says whether the caller waits no more. Every parse begins with an empty heap.
#include <stdbool.h>
#include <stdint.h>
#include "tree_sitter/api.h"
#include "heap.h"
#include "lexer.h"

#define EXPORT(name) __attribute__((export_name(name)))

extern const TSLanguage *LANGUAGE(void);

enum { max_symbols = 4096 };

// Flags of a node, beside its field.
enum { flag_error = 0x8000, flag_missing = 0x4000, flag_deep = 0x2000 };

// What is done with the nodes of a symbol.
enum { skip_node = 0, emit_node = 1, emit_leaf = 2, skip_tree = 3 };

typedef struct {
  uint16_t symbol;
  uint16_t field; // and flags
  uint32_t start;
  uint32_t end;
  uint32_t next; // index of the first node that is not below this one
} Node;

// The answer of parse, read by the caller at result().
static struct {
  Node *nodes;
  uint32_t count;
  uint32_t errors;
  uint32_t cut;  // the budget of operations was spent: there are no nodes
  uint32_t deep; // nodes below the limit of depth are missing
  uint32_t at;   // where a parse that was cut had come to
} result;

static uint8_t actions[max_symbols];
static char *source;

EXPORT("symbol_count") uint32_t symbol_count(void) { return ts_language_symbol_count(LANGUAGE()); }
EXPORT("symbol_name") const char *symbol_name(uint32_t i) { return ts_language_symbol_name(LANGUAGE(), i); }
EXPORT("symbol_type") uint32_t symbol_type(uint32_t i) { return ts_language_symbol_type(LANGUAGE(), i); }
EXPORT("field_count") uint32_t field_count(void) { return ts_language_field_count(LANGUAGE()); }
EXPORT("field_name") const char *field_name(uint32_t i) { return ts_language_field_name_for_id(LANGUAGE(), i); }
EXPORT("actions") void *action_table(void) { return actions; }
EXPORT("result") void *result_at(void) { return &result; }

// Empties the heap and returns room for a source of n bytes.
EXPORT("source") void *source_room(uint32_t n) {
  heap_reset();
  source = heap_take(n + 1);
  return source;
}

// The caller's word that the parse is to end: not 0. It is asked after each few thousand steps, so
// that a loop of a grammar's own scanner ends, too.
__attribute__((import_module("host"), import_name("cancelled"))) extern uint32_t cancelled(void);

enum { steps_between = 8192 };
static uint32_t steps_left = steps_between;

static void ask(void) {
  steps_left = steps_between;
  if (cancelled()) __builtin_trap();
}

static inline void step(void) {
  if (--steps_left == 0) ask();
}

static void (*advance_any)(TSLexer *, bool);

// Does what the lexer of the runtime does for ASCII in the middle of a source, and leaves the
// rest to it. Lexing is a third of all work.
static void advance(TSLexer *base, bool skip) {
  step();
  Lexer *lexer = (Lexer *)base;
  uint32_t next = lexer->current_position.bytes + 1;
  uint32_t at = next - lexer->chunk_start;
  if (next == 1 || lexer->lookahead_size != 1 || at >= lexer->chunk_size || lexer->chunk[at] & 0x80) {
    advance_any(base, skip);
    return;
  }
  if (base->lookahead == '\n') {
    lexer->current_position.extent.row++;
    lexer->current_position.extent.column = 0;
    lexer->column_data.valid = true;
    lexer->column_data.value = 0;
  } else {
    lexer->current_position.extent.column++;
    if (lexer->column_data.valid) lexer->column_data.value++;
  }
  lexer->current_position.bytes = next;
  if (skip) lexer->token_start_position = lexer->current_position;
  base->lookahead = lexer->chunk[at];
}

typedef struct {
  uint32_t left;
  uint32_t at;
} Budget;

static bool spend(TSParseState *state) {
  Budget *budget = state->payload;
  if (steps_left <= 500) ask();
  steps_left -= 400;
  budget->at = state->current_byte_offset;
  return budget->left-- == 0;
}

typedef struct {
  uint32_t n;
  uint32_t at;
} Input;

static const char *read_source(void *payload, uint32_t at, TSPoint point, uint32_t *read) {
  (void)point;
  Input *input = payload;
  *read = at < input->n ? input->n - at : 0;
  return *read ? source + at : "";
}

// The open nodes of the walk: their indexes in the list, or -1 for those that are skipped.
typedef struct {
  int32_t *open;
  uint32_t room;
  uint32_t depth;
} Path;

static void path_push(Path *path, int32_t index) {
  if (path->depth == path->room) {
    path->room = path->room ? 2 * path->room : 256;
    path->open = heap_grow(path->open, path->room * sizeof(int32_t));
  }
  path->open[path->depth++] = index;
}

static void path_pop(Path *path) {
  int32_t index = path->open[--path->depth];
  if (index >= 0) result.nodes[index].next = result.count;
}

static uint32_t room;

static int32_t emit(const TSTreeCursor *cursor, TSNode node, uint16_t flags) {
  if (result.count == room) {
    room = room ? 2 * room : 4096;
    result.nodes = heap_grow(result.nodes, room * sizeof(Node));
  }
  Node *out = &result.nodes[result.count];
  out->symbol = ts_node_symbol(node);
  out->field = ts_tree_cursor_current_field_id(cursor) | flags;
  out->start = ts_node_start_byte(node);
  out->end = ts_node_end_byte(node);
  out->next = result.count + 1;
  return result.count++;
}

static void walk(TSTree *tree, uint32_t max_depth) {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  Path path = {0};
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    uint16_t symbol = ts_node_symbol(node), flags = 0;
    uint8_t action = symbol < max_symbols ? actions[symbol] : skip_node;
    if (ts_node_is_error(node)) flags |= flag_error, action = emit_node;
    if (ts_node_is_missing(node)) flags |= flag_missing;
    if (flags) result.errors++;
    int32_t index = -1;
    if (action == emit_node || action == emit_leaf) index = emit(&cursor, node, flags);
    bool down = action == skip_node || action == emit_node;
    if (down && path.depth >= max_depth && ts_node_child_count(node) > 0) {
      result.deep++;
      down = false;
      if (index >= 0) result.nodes[index].field |= flag_deep;
    }
    path_push(&path, index);
    if (down && ts_tree_cursor_goto_first_child(&cursor)) continue;
    path_pop(&path);
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) return;
      path_pop(&path);
    }
  }
}

// Parses n bytes of the source. budget bounds the work, in hundreds of operations of the parser,
// max_depth how deep the walk goes.
EXPORT("parse") void parse(uint32_t n, uint32_t budget, uint32_t max_depth) {
  result.nodes = 0;
  result.count = result.errors = result.cut = result.deep = result.at = 0;
  room = 0;
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, LANGUAGE())) __builtin_trap();
  Lexer *lexer = (Lexer *)parser; // its first field
  if (advance_any == 0) advance_any = lexer->data.advance;
  lexer->data.advance = advance;
  Input input = {.n = n};
  Budget spent = {.left = budget};
  TSInput in = {.payload = &input, .read = read_source, .encoding = TSInputEncodingUTF8};
  TSParseOptions options = {.payload = &spent, .progress_callback = spend};
  TSTree *tree = ts_parser_parse_with_options(parser, 0, in, options);
  if (!tree) {
    result.cut = 1;
    result.at = spent.at;
    return;
  }
  walk(tree, max_depth);
}
