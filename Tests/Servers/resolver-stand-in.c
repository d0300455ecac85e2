// A resolver and a network that change their mind, loaded into a program by LD_PRELOAD.
//
// STAND_IN_ANSWERS is what getaddrinfo(3) answers: answers separated by spaces, one for each time it is asked (the last
// one again and again), the addresses of one answer separated by commas. STAND_IN_ROUTES says "ADDRESS=PORT ...":
// connecting to ADDRESS reaches that port of loopback. Every connection that is tried is a line on standard error,
// "connect ADDRESS PORT"; one to an address without a route is refused.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct addrinfo *entry(const char *address, const char *port) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *result = NULL;
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(address, port, &hints, &result) == 0 ? result : NULL;
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **result) {
    static int asked = 0;
    (void)host, (void)hints;
    char text[4096], *place = NULL, *answer = NULL;
    snprintf(text, sizeof text, "%s", getenv("STAND_IN_ANSWERS"));
    char *word = strtok_r(text, " ", &place);
    for (int index = 0; word != NULL; index++, word = strtok_r(NULL, " ", &place)) {
        answer = word;
        if (index == asked)
            break;
    }
    asked++;
    struct addrinfo **end = result;
    *result = NULL;
    for (char *address = strtok_r(answer, ",", &place); address != NULL; address = strtok_r(NULL, ",", &place)) {
        *end = entry(address, port);
        if (*end != NULL)
            end = &(*end)->ai_next;
    }
    return *result == NULL ? EAI_NONAME : 0;
}

int connect(int number, const struct sockaddr *address, socklen_t length) {
    int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
    char text[INET6_ADDRSTRLEN] = "?", line[128], wanted[INET6_ADDRSTRLEN + 2];
    int port = 0;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        port = ntohs(v4->sin_port);
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
        port = ntohs(v6->sin6_port);
    }
    int size = snprintf(line, sizeof line, "connect %s %d\n", text, port);
    if (write(2, line, size) != size)
        return -1;
    snprintf(wanted, sizeof wanted, "%s=", text);
    const char *routes = getenv("STAND_IN_ROUTES");
    const char *route = routes != NULL ? strstr(routes, wanted) : NULL;
    if (route == NULL) {
        errno = ECONNREFUSED;
        return -1;
    }
    struct sockaddr_in loopback = {
        .sin_family = AF_INET,
        .sin_port = htons(atoi(route + strlen(wanted))),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    (void)length;
    return real(number, (const struct sockaddr *)&loopback, sizeof loopback);
}
