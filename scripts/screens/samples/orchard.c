#include <stdio.h>
#include <stdlib.h>

#define MAX_TREES 64

struct tree {
	int row, column;
	double height;		/* metres */
	const char *variety;
};

static struct tree orchard[MAX_TREES];
static int planted;

/* plant adds a tree, unless the orchard is full. */
static int plant(int row, int column, const char *variety)
{
	if (planted == MAX_TREES) {
		fprintf(stderr, "orchard: no room for %s\n", variety);
		return -1;
	}
	orchard[planted].row = row;
	orchard[planted].column = column;
	orchard[planted].variety = variety;
	orchard[planted].height = 0.4;
	return planted++;
}

static double harvest(const struct tree *t, int years)
{
	double kilos = 0;
	for (int year = 0; year < years; year++) {
		if (year > 3)
			kilos += 12.5 * t->height;
	}
	return kilos;
}

int main(void)
{
	const char *varieties[] = { "Boskoop", "Elstar", "Topaz", "Gala" };
	for (int i = 0; i < 24; i++)
		plant(i / 6, i % 6, varieties[i % 4]);
	for (int i = 0; i < planted; i++)
		printf("%2d %-8s %6.1f kg\n", i, orchard[i].variety, harvest(&orchard[i], 9));
	return EXIT_SUCCESS;
}
