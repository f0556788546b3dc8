/// What the static Swift runtime of Debian's unstable branch wants of glibc, and Debian 12's has not, by means of what it has.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// C23's functions also read binary numbers, which nothing here writes.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }
int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

size_t strlcpy(char *target, const char *source, size_t size) {
    size_t length = strlen(source);
    if (size) {
        size_t count = length < size - 1 ? length : size - 1;
        memcpy(target, source, count);
        target[count] = 0;
    }
    return length;
}

size_t strlcat(char *target, const char *source, size_t size) {
    size_t length = strnlen(target, size);
    return length == size ? size + strlen(source) : length + strlcpy(target + length, source, size - length);
}

float __scalbnf(float value, int exponent) { return scalbnf(value, exponent); }
float __ldexpf(float value, int exponent) { return ldexpf(value, exponent); }
float __frexpf(float value, int *exponent) { return frexpf(value, exponent); }
double __scalbn(double value, int exponent) { return scalbn(value, exponent); }
double __ldexp(double value, int exponent) { return ldexp(value, exponent); }
double __frexp(double value, int *exponent) { return frexp(value, exponent); }
