#!/usr/bin/env escript
%% token-erlang.escript KEY KID TEAM: signed by public_key, in the alphabet of plain base64, as apns4erl does.
main([Path, Kid, Team]) ->
    {ok, Pem} = file:read_file(Path),
    Key = public_key:pem_entry_decode(hd(public_key:pem_decode(Pem))),
    Signed = [part(io_lib:format("{\"alg\":\"ES256\",\"kid\":\"~s\"}", [Kid])), ".",
              part(io_lib:format("{\"iss\":\"~s\",\"iat\":~b}", [Team, os:system_time(second)]))],
    io:format("~s.~s~n", [Signed, part(public_key:sign(iolist_to_binary(Signed), sha256, Key))]).

part(Text) -> string:trim(base64:encode(iolist_to_binary(Text)), trailing, "=").
